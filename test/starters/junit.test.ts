/** The JUnit 5 extension, with the example of docs/starters.md. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { kept, lacks, root, starter } from './starter.ts'

const sources = path.join(root, 'packages', 'junit', 'src', 'main', 'java', 'dev', 'bowsprit', 'junit')

const REFUSED = `
import static org.junit.jupiter.api.Assertions.*;

import dev.bowsprit.junit.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(BowspritExtension.class)
@BowspritFlags({"--parts", "server"})
class RefusedTest {
  static String ofTheClass;

  @BeforeAll
  static void one(Bowsprit cluster) {
    ofTheClass = cluster.kubeconfig();
  }

  @Test
  void anotherForTheMethod(Bowsprit cluster) {
    assertNotEquals(ofTheClass, cluster.kubeconfig());
  }

  @Test
  void aWrongFlagIsTold() {
    var e = assertThrows(IllegalStateException.class, () -> Bowsprit.start("--no-such-flag"));
    assertTrue(e.getMessage().contains("ended with 2 before it was ready") && e.getMessage().contains("--no-such-flag"), e.getMessage());
  }
}
`

test('a test of JUnit gets its cluster, and nothing of it is left', async (t) => {
  const classpath = path.join(kept, 'junit.classpath')
  mkdirSync(kept, { recursive: true })
  const jars = () =>
    existsSync(classpath) &&
    readFileSync(classpath, 'utf8')
      .split(':')
      .every((jar) => existsSync(jar))
  const pom = path.join(import.meta.dirname, 'pom.xml')
  const words = ['-q', '-B', '-f', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${classpath}`]
  const why = (await lacks('javac', '-version')) ?? (jars() ? undefined : await lacks('mvn', ...words))
  if (why !== undefined) return t.skip(why)
  const { folder, run, left } = starter(t, 'ColorsTest.java')
  writeFileSync(path.join(folder, 'RefusedTest.java'), REFUSED)
  const files = readdirSync(sources).map((name) => path.join(sources, name))
  const on = `classes:${readFileSync(classpath, 'utf8')}`
  const compiled = await run('javac', [
    '-Xlint:all,-processing',
    '-d',
    'classes',
    '-cp',
    on,
    ...files,
    'ColorsTest.java',
    'RefusedTest.java',
  ])
  assert.equal(compiled.code, 0, compiled.err)
  const launcher = ['-cp', on, 'org.junit.platform.console.ConsoleLauncher', 'execute', '--disable-banner', '--scan-classpath', 'classes']
  const tested = await run('java', [...launcher, `--class-path=classes`], {
    JAVA_TOOL_OPTIONS: `-Djava.io.tmpdir=${path.join(folder, 'tmp')}`,
  })
  assert.deepEqual([tested.code, left()], [0, []], `${tested.out}${tested.err}`)
  assert.match(tested.out, /3 tests successful/)
})
