package dev.bowsprit.junit;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the program is. */
final class Program {
  private Program() {}

  /** What {@code BOWSPRIT} names, that of the {@code node_modules} here or above, or the one on the PATH. */
  static String find() {
    String named = System.getenv("BOWSPRIT");
    if (named != null && !named.isEmpty()) return named;
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      Path found = folder.resolve("node_modules").resolve(".bin").resolve("bowsprit");
      if (Files.isExecutable(found)) return found.toString();
    }
    String path = System.getenv("PATH");
    for (String folder : path == null ? new String[0] : path.split(File.pathSeparator)) {
      Path found = Path.of(folder.isEmpty() ? "." : folder, "bowsprit");
      if (Files.isRegularFile(found) && Files.isExecutable(found)) return found.toString();
    }
    throw new IllegalStateException(
        "bowsprit was not found in node_modules here or above, nor on the PATH: "
            + "npm install --save-dev bowsprit, or name the program in the environment variable BOWSPRIT");
  }
}
