import static org.bytedeco.pytorch.global.torch.relu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.SizeTPair;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.cuda.DeviceStats;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch_cuda;

/**
 * Train LIBRARIES NAME MIB STEPS [UNTIL]: a training by libtorch whose peak is about MIB MiB of
 * device memory beside the context of CUDA, as pytorch/train.py is by PyTorch. LIBRARIES is the
 * folder of its libraries. It says at its end what it took. UNTIL: after each step it keeps its
 * memory until that file exists. Run with -Dorg.bytedeco.javacpp.loadlibraries=false.
 */
final class Train {
  private static final int WIDTH = 2048;
  private static final int LAYERS = 4;

  /** Of each layer's width, that a backward pass keeps. */
  private static final int FLOATS_PER_ROW = 16;

  private static final int PAUSE_MS = 100;

  /** In the order in which they need each other. */
  private static final List<String> NEEDED =
      List.of(
          "jnijavacpp",
          "c10",
          "torch_cpu",
          "c10_cuda",
          "torch_cuda",
          "torch_cuda_linalg",
          "torch",
          "jnitorch",
          "jnitorch_cuda");

  private Train() {}

  /**
   * JavaCPP would look in /usr/local/cuda before anything else, and load NVIDIA's own runtime,
   * which must not meet the emulator: LD_LIBRARY_PATH decides instead.
   */
  private static void load(Path libraries) throws IOException {
    for (String name : NEEDED) {
      System.load(libraries.resolve("lib" + name + ".so").toString());
    }
    List<String> searched = List.of(System.getenv("LD_LIBRARY_PATH").split(":"));
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      String file = line.substring(line.lastIndexOf(' ') + 1);
      if (file.matches(".*/libcu[a-z]+\\.so.*")
          && !searched.contains(Path.of(file).getParent().toString())) {
        throw new IllegalStateException(file + " is not of the emulator: nothing is run on it");
      }
    }
  }

  private static TensorVector parameters(List<LinearImpl> layers) {
    List<Tensor> all = new ArrayList<>();
    for (LinearImpl layer : layers) {
      TensorVector own = layer.parameters();
      for (long i = 0; i < own.size(); i++) {
        all.add(own.get(i));
      }
    }
    return new TensorVector(all.toArray(Tensor[]::new));
  }

  /** What is in use at the end, by libtorch's count and by the driver's. */
  private static String used() {
    DeviceStats stats = torch_cuda.getAllocator().getDeviceStats((byte) 0);
    SizeTPair memory = torch_cuda.getAllocator().getMemoryInfo((byte) 0); // free, total
    return "its cache had at most %d MiB; %d of %d MiB are in use; %d retries, %d out of memory"
        .formatted(
            stats.reserved_bytes().peak() >> 20,
            memory.second() - memory.first() >> 20,
            memory.second() >> 20,
            stats.num_alloc_retries(),
            stats.num_ooms());
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    load(Path.of(arguments[0]));
    String name = arguments[1];
    int steps = Integer.parseInt(arguments[3]);
    long rows = (Long.parseLong(arguments[2]) << 20) / (WIDTH * 4L * FLOATS_PER_ROW);
    Path until = arguments.length > 4 ? Path.of(arguments[4]) : null;
    Device device = new Device("cuda:0");
    List<LinearImpl> layers = new ArrayList<>();
    for (int i = 0; i < LAYERS; i++) {
      LinearImpl layer = new LinearImpl(WIDTH, WIDTH);
      layer.to(device, false);
      layers.add(layer);
    }
    Adam optimizer = new Adam(parameters(layers), new AdamOptions(1e-3));
    TensorOptions onDevice = new TensorOptions().device(new DeviceOptional(device));
    for (int step = 1; step <= steps; step++) {
      try (PointerScope scope = new PointerScope()) { // frees the tensors of the step
        Tensor x = torch.randn(new long[] {rows, WIDTH}, onDevice);
        for (LinearImpl layer : layers) {
          x = relu(layer.forward(x));
        }
        Tensor loss = x.square().mean();
        optimizer.zero_grad();
        loss.backward();
        optimizer.step();
        torch_cuda.device_synchronize();
      }
      System.out.println(name + ": step " + step);
      do {
        Thread.sleep(PAUSE_MS);
      } while (until != null && !Files.exists(until));
    }
    System.out.printf("%s: %d steps; %s%n", name, steps, used());
    Runtime.getRuntime().halt(0); // libtorch's own end races with its threads
  }
}
