package org.schedgpu.agent.top;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.ControlChar;
import org.jline.terminal.Attributes.InputFlag;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlocking;
import org.jline.utils.NonBlockingReader;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.TerminalModes;

/** The live view: draws, reads keys, and restores the terminal, however it ends. */
public final class Screen {
  private static final int SIGSTOP = 19;
  private static final Size FALLBACK = new Size(80, 24);

  private final Terminal terminal;
  private final Supplier<TopReport> reports;
  private final TerminalStyle look;
  private final boolean colours;
  private final long intervalNs;
  private final View view = new View();
  private final BlockingQueue<Key> keys = new LinkedBlockingQueue<>();
  private final Optional<TerminalModes> before;
  private Display display;
  private TopReport report;
  private boolean entered;
  private boolean ended;

  /**
   * A view that is not shown yet.
   *
   * @param before modes of the terminal before it was opened
   * @param reports gives the content, once in each interval
   */
  public Screen(
      Terminal terminal,
      Optional<TerminalModes> before,
      Supplier<TopReport> reports,
      TerminalStyle look,
      boolean colours,
      long intervalNs) {
    this.terminal = terminal;
    this.reports = reports;
    this.look = look;
    this.colours = colours;
    this.intervalNs = intervalNs;
    this.before = before;
  }

  /** Shows it until the user quits. */
  public void run() throws InterruptedException {
    Thread restore = new Thread(this::end, "restore-terminal");
    Runtime.getRuntime().addShutdownHook(restore);
    try {
      enter();
      listen();
      loop();
    } finally {
      end();
      Runtime.getRuntime().removeShutdownHook(restore);
    }
  }

  private void listen() {
    terminal.handle(Signal.WINCH, signal -> keys.add(Key.REDRAW));
    terminal.handle(Signal.INT, signal -> keys.add(Key.QUIT));
    terminal.handle(Signal.QUIT, signal -> keys.add(Key.QUIT));
    terminal.handle(Signal.TSTP, signal -> keys.add(Key.SUSPEND));
    terminal.handle(Signal.CONT, signal -> keys.add(Key.GO_ON));
    NonBlockingReader typed = typed();
    Thread reader = new Thread(() -> Key.readAll(typed, keys), "keys");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * The input from the terminal at stdin. JLine's own reader sets modes when it begins to read,
   * even on a terminal that was given back, and reads until the process ends.
   */
  private NonBlockingReader typed() {
    InputStream stdin = new FileInputStream(FileDescriptor.in);
    return NonBlocking.nonBlocking("keys", stdin, terminal.encoding());
  }

  private void loop() throws InterruptedException {
    long dueNs = System.nanoTime();
    while (true) {
      long leftNs = dueNs - System.nanoTime();
      if (leftNs <= 0) {
        if (!view.paused() || report == null) {
          report = reports.get();
        }
        leftNs = intervalNs;
        dueNs = System.nanoTime() + intervalNs;
      }
      draw();
      Key key = keys.poll(leftNs, TimeUnit.NANOSECONDS);
      if (key == Key.QUIT) {
        return;
      }
      if (key != null) {
        act(key);
      }
    }
  }

  private void act(Key key) {
    switch (key) {
      case PAUSE -> view.pauseOrGoOn();
      case SORT -> view.sortOtherwise();
      case DEVICE -> view.nextDevice(report.devices().stream().map(d -> d.index()).toList());
      case HELP -> view.helpOrBack();
      case DOWN -> view.scrollBy(1);
      case UP -> view.scrollBy(-1);
      case PAGE_DOWN -> view.scrollBy(10);
      case PAGE_UP -> view.scrollBy(-10);
      case SUSPEND -> suspend();
      case GO_ON -> enter();
      case REDRAW -> fresh();
      case QUIT -> throw new IllegalStateException("quit is no change");
    }
  }

  /**
   * While this process is stopped, the shell has its terminal in the original state. SIGCONT enters
   * the view again, because threads continue for a moment before the stop.
   */
  private void suspend() {
    leave();
    Posix.kill(ProcessHandle.current().pid(), SIGSTOP);
  }

  private synchronized void enter() {
    if (ended) {
      return;
    }
    terminal.setAttributes(keyByKey(terminal.getAttributes()));
    terminal.puts(Capability.enter_ca_mode);
    terminal.puts(Capability.cursor_invisible);
    terminal.flush();
    entered = true;
    fresh();
  }

  /**
   * Delivers each key at once and does not echo it. This is JLine's raw mode, except that a read
   * waits for a key; in raw mode a read returns without one after a while, as at end of file.
   */
  private static Attributes keyByKey(Attributes modes) {
    modes.setLocalFlags(EnumSet.of(LocalFlag.ICANON, LocalFlag.ECHO, LocalFlag.IEXTEN), false);
    modes.setInputFlags(EnumSet.of(InputFlag.IXON, InputFlag.ICRNL, InputFlag.INLCR), false);
    modes.setControlChar(ControlChar.VMIN, 1);
    modes.setControlChar(ControlChar.VTIME, 0);
    return modes;
  }

  private synchronized void leave() {
    if (!entered) {
      return;
    }
    entered = false;
    terminal.puts(Capability.exit_attribute_mode);
    terminal.puts(Capability.cursor_normal);
    terminal.puts(Capability.exit_ca_mode);
    terminal.flush();
    before.ifPresent(TerminalModes::restore);
  }

  private synchronized void end() {
    leave();
    ended = true;
    try {
      terminal.close();
    } catch (IOException gone) {
      // The user has closed the terminal, so there is nobody to report to.
    }
    before.ifPresent(TerminalModes::restore);
  }

  /** The content of the screen is unknown now. */
  private synchronized void fresh() {
    terminal.puts(Capability.clear_screen);
    display = new Display(terminal, true);
  }

  private synchronized void draw() {
    if (!entered) {
      return;
    }
    Size size = terminal.getSize();
    if (size.getColumns() <= 0 || size.getRows() <= 0) {
      size = FALLBACK; // a serial line does not know its size
    }
    display.resize(size.getRows(), size.getColumns());
    display.update(new ArrayList<>(lines(size)), -1); // which it changes
  }

  private List<AttributedString> lines(Size size) {
    List<AttributedString> lines = Frame.of(report, view, look, size.getColumns(), size.getRows());
    return colours
        ? lines
        : lines.stream().map(line -> new AttributedString(line.toString())).toList();
  }
}
