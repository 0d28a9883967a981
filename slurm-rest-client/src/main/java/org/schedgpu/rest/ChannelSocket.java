package org.schedgpu.rest;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;

/** A channel as a socket, because HttpCore needs sockets and UNIX channels have none. */
final class ChannelSocket extends Socket {
  private final SocketChannel channel;

  ChannelSocket(SocketChannel channel) {
    this.channel = channel;
  }

  @Override
  public InputStream getInputStream() {
    return Channels.newInputStream(channel);
  }

  @Override
  public OutputStream getOutputStream() {
    return Channels.newOutputStream(channel);
  }

  @Override
  public boolean isConnected() {
    return channel.isConnected();
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  /** The time limit is on the whole call: an interrupt closes the channel. */
  @Override
  public void setSoTimeout(int timeoutMs) {
    // see above
  }

  @Override
  public int getSoTimeout() {
    return 0;
  }

  @Override
  public void shutdownOutput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public synchronized void close() throws IOException {
    channel.close();
  }
}
