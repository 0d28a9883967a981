package org.schedgpu.gres;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code plan} that say how the virtual GPUs are written. */
final class PlanLayout {
  @Option(
      names = "--order",
      paramLabel = "ORDER",
      converter = OrderConverter.class,
      description = "spread (default): devices alternate; pack: a device is filled first.")
  Order order = Order.SPREAD;

  @Option(
      names = "--no-links",
      description = "No Links=: jobs of several GPUs may get one device more often.")
  boolean noLinks;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "Type in Slurm. Default: made from the device's name.")
  String type;

  @Option(
      names = "--control-file",
      paramLabel = "FILE",
      description = "Control device file. Default: nvidiactl beside the device file.")
  String controlFile;

  @Option(names = "--plugstack", paramLabel = "FILE", description = "PlugStackConfig.")
  String plugStack;

  @Option(names = "--prolog", paramLabel = "FILE", description = "Prolog.")
  String prolog;

  @Option(names = "--epilog", paramLabel = "FILE", description = "Epilog.")
  String epilog;

  @Option(
      names = "--prolog-epilog-timeout",
      paramLabel = "SECONDS",
      description = "PrologEpilogTimeout. Default: 60.")
  int timeoutSeconds = SlurmConfSettings.DEFAULT_TIMEOUT_SECONDS;

  static final class OrderConverter implements ITypeConverter<Order> {
    @Override
    public Order convert(String word) {
      try {
        return Order.of(word);
      } catch (GresException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
