package dev.bowsprit.junit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A running cluster: the program {@code bowsprit}, started and stopped. Nothing is downloaded, and nothing but Java is needed. */
public final class Bowsprit implements AutoCloseable {
  private final Process process;
  private final Path folder;

  private Bowsprit(Process process, Path folder) {
    this.process = process;
    this.folder = folder;
  }

  /** Starts a cluster in memory on a free port, with these further flags of {@code bowsprit up}; gives it when it answers. */
  public static Bowsprit start(String... flags) {
    return start(Duration.ofMinutes(1), flags);
  }

  /** As {@link #start(String...)}, for at most this long. */
  public static Bowsprit start(Duration timeout, String... flags) {
    String program = Program.find();
    try {
      Path folder = Files.createTempDirectory("bowsprit-");
      Path log = folder.resolve("log");
      List<String> words = new ArrayList<>(List.of(program, "up", "--ephemeral", "--port", "0", "--until-stdin-ends"));
      words.addAll(List.of("--kubeconfig", folder.resolve("kubeconfig").toString()));
      words.addAll(List.of(flags));
      Process process;
      try {
        process = new ProcessBuilder(words).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(log.toFile()).start();
      } catch (IOException e) {
        remove(folder);
        throw new IllegalStateException(program + " cannot be started: " + e.getMessage(), e);
      }
      Bowsprit cluster = new Bowsprit(process, folder);
      cluster.untilReady(System.nanoTime() + timeout.toNanos(), timeout);
      return cluster;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The path of a kubeconfig with an administrator's credentials. */
  public Path kubeconfigFile() {
    return folder.resolve("kubeconfig");
  }

  /** The kubeconfig itself. */
  public String kubeconfig() {
    try {
      return Files.readString(kubeconfigFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops the cluster and removes its kubeconfig; a second call does nothing. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      process.destroy();
    }
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    remove(folder);
  }

  private void untilReady(long deadline, Duration timeout) throws IOException {
    try {
      while (!Files.exists(kubeconfigFile())) {
        if (process.waitFor(5, TimeUnit.MILLISECONDS)) throw failed("ended with " + process.exitValue() + " before it was ready");
        if (System.nanoTime() > deadline) throw failed("was not ready after " + timeout.toMillis() + " ms");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("was interrupted before it was ready");
    }
  }

  private IllegalStateException failed(String why) throws IOException {
    String said = Files.readString(folder.resolve("log")).strip();
    process.destroyForcibly();
    remove(folder);
    return new IllegalStateException("bowsprit " + why + ": " + said);
  }

  private static void remove(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException | UncheckedIOException e) {
      // Somebody else has removed it.
    }
  }
}
