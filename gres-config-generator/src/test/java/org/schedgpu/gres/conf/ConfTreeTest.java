package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Includes, and what a line may have. */
class ConfTreeTest {
  @TempDir Path folder;

  private ConfTree read(String text) {
    return ConfTree.read(Confs.write(folder, "slurm.conf", text), ConfKind.SLURM_CONF);
  }

  private String error(String text) {
    return Confs.error(folder, () -> read(text));
  }

  private List<String> warnings(String text) {
    return read(text).warnings().stream().map(w -> w.replace(folder + "/", "")).toList();
  }

  private static String values(ConfTree tree) {
    return tree.lines().stream()
        .map(line -> line.pairs().get(0).value())
        .collect(Collectors.joining(" "));
  }

  @Test
  void includesAreReadWhereTheyStand() {
    Confs.write(folder, "sub/nodes.conf", "NodeName=b\ninclude more.conf\nNodeName=d\n");
    Confs.write(folder, "sub/more.conf", "NodeName=c\n");
    ConfTree tree = read("NodeName=a\nInclude sub/nodes.conf\nNodeName=e\n");
    assertEquals("a b c d e", values(tree));
    assertEquals(3, tree.files().size());
    assertEquals(
        folder.resolve("sub/more.conf") + " line 1", tree.lines().get(2).place().toString());
  }

  /** As since Slurm 23.02. */
  @Test
  void includesAreReadFromTheFolderOfSlurmConfToo() {
    Confs.write(folder, "sub/nodes.conf", "NodeName=b\nInclude sub/more.conf\n");
    Confs.write(folder, "sub/more.conf", "NodeName=c\n");

    assertEquals("b c", values(read("Include sub/nodes.conf\n")));
  }

  @Test
  void anIncludeThatReleasesReadDifferentlyIsRefused() {
    Confs.write(folder, "sub/nodes.conf", "Include more.conf\n");
    Confs.write(folder, "sub/more.conf", "NodeName=before\n");
    Confs.write(folder, "more.conf", "NodeName=since\n");

    assertEquals(
        "sub/nodes.conf line 1, Include 'more.conf' is sub/more.conf before Slurm 23.02 and"
            + " more.conf since then: write the whole path",
        error("Include sub/nodes.conf\n"));
  }

  @Test
  void absoluteNameAndClusterNameInSmallLetters() {
    Path other = Confs.write(folder, "x/other-gpu.conf", "NodeName=b\n");
    ConfTree tree =
        read("ClusterName=GPU\nInclude " + other + "\nInclude x/other-%c.conf # again\n");
    assertEquals("GPU b b", values(tree));
    assertEquals(2, tree.files().size());
  }

  @Test
  void clusterNameHasToStandAboveItsUse() {
    assertEquals(
        "slurm.conf line 1, %c in '%c.conf' is not known here: put ClusterName= above the Include",
        error("Include %c.conf\nClusterName=a\n"));
    Path gres = Confs.write(folder, "gres.conf", "Include %c.conf\n");
    assertEquals(
        "gres.conf line 1, %c in '%c.conf' is not known here: write the name; Slurm knows %c in"
            + " slurm.conf only",
        Confs.error(folder, () -> ConfTree.read(gres, ConfKind.GRES_CONF)));
  }

  @Test
  void otherPercentSignsAreNames() {
    Confs.write(folder, "%h.conf", "NodeName=a\n");
    assertEquals("a", values(read("Include %h.conf\n")));
  }

  @Test
  void missingAndCircularIncludesAreReported() {
    assertEquals(
        "slurm.conf line 2, included file no.conf does not exist: create it or correct the line;"
            + " a name counts from the folder of slurm.conf, before Slurm 23.02 from that of the"
            + " including file",
        error("# x\nInclude no.conf\n"));
    assertEquals(
        "slurm.conf line 1, included file /dev/zero is no file to read: name a regular file",
        error("Include /dev/zero\n"));
    Confs.write(folder, "a.conf", "Include slurm.conf\n");
    assertEquals(
        "a.conf line 1, slurm.conf is included by itself: [slurm.conf, a.conf]: take one Include"
            + " out",
        error("Include a.conf\n").replace(folder.toString(), ""));
  }

  @Test
  void nameAtTheVeryEndIsWarnedOf() {
    Confs.write(folder, "a.conf", "NodeName=a\n");
    assertEquals(
        List.of(
            "slurm.conf line 1, nothing separates the included name from the end of the file or"
                + " the '#', and Slurm reads beyond it: put a blank or a line end there"),
        warnings("Include a.conf"));
    assertEquals(List.of(), warnings("Include a.conf\n"));
  }

  @Test
  void onlySomeKeysTakeOthersOnTheirLine() {
    assertEquals(
        "slurm.conf line 1, SlurmdPort= follows SlurmctldPort= on one line: give each a line of"
            + " its own; Slurm takes several only on lines such as NodeName=",
        error("SlurmctldPort=1 SlurmdPort=2\n"));
    assertEquals(List.of(), warnings("NodeName=a CPUs=1\nPartitionName=p Nodes=a\n"));
  }

  @Test
  void unknownAndRepeatedKeysAreWarnedOf() {
    assertEquals(
        List.of(
            "slurm.conf line 1, NodName= is no key that Slurm 22.05 takes in slurm.conf: slurmd"
                + " 22.05 will not start with this",
            "slurm.conf line 2, cpus= is set twice, Slurm uses the last",
            "slurm.conf line 2, Gress= is no key that Slurm 22.05 takes in slurm.conf behind"
                + " NodeName=: slurmd 22.05 will not start with this"),
        warnings("NodName=a x=1\nNodeName=a cpus=1 Gress=x CPUs=2\n"));
  }

  @Test
  void valuesHaveToBeWhatSlurmTakes() {
    assertEquals(
        "slurm.conf line 1, CPUs=x is not what Slurm takes: write a number from 0 to 65535, or"
            + " INFINITE",
        error("NodeName=a CPUs=x\n"));
    assertEquals(
        "slurm.conf line 1, Weight=4194304K is not what Slurm takes: write a number from 0 to"
            + " 4294967295, or INFINITE",
        error("NodeName=a CPUs=65535 Weight=4194304K\n"));
    assertEquals(
        "slurm.conf line 1, Default=maybe is not what Slurm takes: write yes or no",
        error("PartitionName=p Default=maybe\n"));
    assertEquals(
        List.of(), warnings("NodeName=a CPUs=0x10 RealMemory=4K Weight=infinite\nTrackWCKey=UP\n"));
  }

  @Test
  void quoteWithoutPartnerIsWarnedOf() {
    assertEquals(
        List.of(
            "slurm.conf line 1, the quote of Reason= has no partner before a blank, Slurm takes the"
                + " value \"x (a '#' ends the line even between quotes, write \\#)"),
        warnings("NodeName=a Reason=\"x # y\"\n"));
  }

  @Test
  void cgroupConfIsReadToo() {
    Path file = Confs.write(folder, "cgroup.conf", "constraindevices=yes\nFoo=1\n");
    ConfTree tree = ConfTree.read(file, ConfKind.CGROUP_CONF);
    assertEquals("yes 1", values(tree));
    assertEquals(1, tree.warnings().size());
  }
}
