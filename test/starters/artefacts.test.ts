/** What `npm run artefacts` makes for publishers, each installed from its files as users would install it from a registry. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, suite, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { builtPackage } from '../built-package.ts'
import { GO_ENVIRONMENT } from '../go-program.ts'
import { type Ended, runProgram } from '../run-program.ts'
import { kept, lacks, root } from './starter.ts'

const REPOSITORY = 'https://example.com/owner/bowsprit'
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string }

suite('artefacts', () => {
  const built = builtPackage()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'artefacts-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  const make = async (kind: string) => {
    const words = [path.join(root, 'scripts', 'artefacts.ts'), folder, '--only', kind, '--repository', REPOSITORY]
    const made = await runProgram(process.execPath, words, { cwd: root, env: { BOWSPRIT_DIST: built.dist }, timeoutMs: 300_000 })
    assert.equal(made.code, 0, made.err)
    return path.join(folder, kind)
  }

  test('npm: both tarballs are installed, say where they come from, and make an operator', async (t) => {
    const npm = await make('npm')
    const { at, run } = emptyProject(t)
    writeFileSync(at('package.json'), '{ "private": true }\n')
    const tarballs = readdirSync(npm).map((name) => path.join(npm, name))
    assert.equal(tarballs.length, 2)
    await well(run('npm', ['install', '--no-audit', '--no-fund', '--offline', ...tarballs]))
    for (const name of ['bowsprit', 'create-bowsprit-operator']) {
      const published = JSON.parse(readFileSync(at('node_modules', name, 'package.json'), 'utf8'))
      assert.deepEqual([published.publishConfig, published.version], [{ access: 'public', provenance: true }, version])
      assert.equal(published.repository.url, `git+${REPOSITORY}.git`)
      assert.equal(published.scripts, undefined, 'nothing runs at installation')
      assert.ok(existsSync(at('node_modules', name, 'LICENSE')))
    }
    const { out } = await well(run(process.execPath, [at('node_modules', 'bowsprit', 'dist', 'bowsprit.js'), 'version']))
    assert.ok(out.startsWith(`bowsprit ${version} `), out)
    const create = at('node_modules', 'create-bowsprit-operator', 'create.mjs')
    await well(run(process.execPath, [create, 'operator', '--bowsprit', tarballs[0] ?? '', '--kind', 'Ticket', '--group', 'example.org']))
    assert.ok(existsSync(at('operator', 'package.json')))
  })

  test('python: the wheel is installed without an index, the source distribution with what builds it', async (t) => {
    const why = await lacks('python3', '-m', 'venv', '--help')
    if (why !== undefined) return t.skip(why)
    const python = await make('python')
    const files = readdirSync(python).sort()
    assert.deepEqual(files, [`bowsprit_pytest-${version}-py3-none-any.whl`, `bowsprit_pytest-${version}.tar.gz`])
    const { run } = emptyProject(t)
    const install = ['-m', 'pip', 'install', '--no-deps', '--quiet', '--target']
    await well(run('python3', [...install, 'wheel', '--no-index', path.join(python, files[0] ?? '')]))
    // What builds it comes from an index.
    await well(run('python3', [...install, 'source', path.join(python, files[1] ?? '')]))
    for (const from of ['wheel', 'source']) {
      const words = ['-c', 'import bowsprit_pytest; print(bowsprit_pytest.__file__)']
      const { out } = await well(run('python3', words, { PYTHONPATH: from }))
      assert.ok(out.includes(`${from}/bowsprit_pytest/__init__.py`), out)
    }
    const { out: listed } = await well(run('tar', ['-tzf', path.join(python, files[1] ?? '')]))
    for (const name of ['LICENSE', 'README.md', 'pyproject.toml', 'bowsprit_pytest/plugin.py']) assert.ok(listed.includes(name), name)
  })

  test('go: a module proxy of files gives the module', async (t) => {
    const why = await lacks('go', 'version')
    if (why !== undefined) return t.skip(why)
    const { at, run } = emptyProject(t)
    const proxy = pathToFileURL(await make('go')).href
    writeFileSync(at('go.mod'), 'module user\n\ngo 1.21\n')
    writeFileSync(at('user_test.go'), 'package user\n\nimport _ "bowsprit.dev/bowsprittest"\n')
    const env = { ...GO_ENVIRONMENT, GOPROXY: proxy, GONOSUMDB: '*', GOPATH: at('go'), GOMODCACHE: at('modules') }
    await well(run('go', ['get', `bowsprit.dev/bowsprittest@v${version}`], env))
    await well(run('go', ['vet', '.'], env))
    await well(run('chmod', ['-R', 'u+w', at('modules')]))
  })

  test('maven: a repository of files gives the extension, with sources and javadoc', async (t) => {
    const why = (await lacks('javac', '-version')) ?? (await lacks('mvn', '-version'))
    if (why !== undefined) return t.skip(why)
    const maven = await make('maven')
    const own = path.join(maven, 'dev', 'bowsprit', 'bowsprit-junit', version)
    const names = readdirSync(own).filter((name) => !/\.(sha1|md5)$/.test(name))
    const all = ['-javadoc.jar', '-sources.jar', '.jar', '.pom'].map((end) => `bowsprit-junit-${version}${end}`)
    assert.deepEqual(names.sort(), all)
    const { at, run } = emptyProject(t)
    writeFileSync(at('pom.xml'), userPom(pathToFileURL(maven).href))
    mkdirSync(at('src', 'main', 'java'), { recursive: true })
    writeFileSync(at('src', 'main', 'java', 'User.java'), 'class User { dev.bowsprit.junit.Bowsprit cluster; }\n')
    await well(run('mvn', ['-q', '-B', 'compile']))
    // The next run is to be of the files, too.
    rmSync(path.join(os.homedir(), '.m2', 'repository', 'dev', 'bowsprit'), { recursive: true, force: true })
  })

  test('oci: every blob is what its digest says, and the image runs without anything else of this machine', async (t) => {
    const oci = await make('oci')
    const blob = (digest: string) => readFileSync(path.join(oci, 'blobs', ...digest.split(':')))
    for (const name of readdirSync(path.join(oci, 'blobs', 'sha256'))) assert.equal(sha256(blob(`sha256:${name}`)), name)
    const [named] = JSON.parse(readFileSync(path.join(oci, 'index.json'), 'utf8')).manifests
    const manifest = JSON.parse(blob(named.digest).toString())
    const config = JSON.parse(blob(manifest.config.digest).toString())
    const layers: Buffer[] = manifest.layers.map(({ digest }: { readonly digest: string }) => gunzipSync(blob(digest)))
    assert.deepEqual(
      config.rootfs.diff_ids,
      layers.map((layer) => `sha256:${sha256(layer)}`),
    )
    if (process.getuid?.() !== 0) return t.diagnostic('it is not run: that needs root')
    const { at, run } = emptyProject(t)
    chmodSync(at(), 0o755)
    for (const layer of layers) {
      writeFileSync(at('layer.tar'), layer)
      await well(run('tar', ['-xpf', at('layer.tar'), '-C', at()]))
    }
    const [program, ...words] = config.config.Entrypoint
    const inside = (...more: readonly string[]) =>
      run('chroot', [`--userspec=${config.config.User}`, at(), program, ...words, ...more], { HOME: '/home/node', TMPDIR: '/tmp' })
    assert.ok((await well(inside('version'))).out.startsWith(`bowsprit ${version} `))
    // Standard input is at its end: the cluster stops as soon as it is up.
    const { out } = await well(inside(...config.config.Cmd, '--port', '0', '--until-stdin-ends'))
    assert.match(out, /Bowsprit is up/)
  })

  test('the sums are those of all files, and the page names each kind', async () => {
    await make('go')
    const lines = readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
    for (const line of lines) {
      const [sum, name = ''] = line.split('  ')
      assert.equal(sha256(readFileSync(path.join(folder, name))), sum, name)
    }
    const page = readFileSync(path.join(folder, 'PUBLISH.md'), 'utf8')
    for (const kind of ['npm/', 'python/', 'maven/', 'go/', 'oci:oci', 'executables/']) assert.ok(page.includes(kind), kind)
  })

  test('a kind that is not there, and an address that registries do not take, are refused', async () => {
    const refused = (...words: readonly string[]) =>
      runProgram(process.execPath, [path.join(root, 'scripts', 'artefacts.ts'), folder, ...words], { env: { BOWSPRIT_DIST: built.dist } })
    assert.match((await refused('--only', 'deb', '--repository', REPOSITORY)).err, /there is no "deb"/)
    assert.match((await refused('--only', 'go', '--repository', 'git@host:x')).err, /--repository: registries want the https/)
  })
})

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The result of a program that has to end with 0. */
async function well(ended: Promise<Ended>): Promise<Ended> {
  const result = await ended
  assert.equal(result.code, 0, `${result.out}${result.err}`)
  return result
}

/** An empty folder, as a user's project is at first, and an empty home. */
function emptyProject(t: TestContext) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'artefact-user-'))
  const home = path.join(folder, '.home')
  mkdirSync(home)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return {
    at: (...names: string[]) => path.join(folder, ...names),
    run: (program: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      runProgram(program, words, {
        cwd: folder,
        env: {
          HOME: home,
          NODE_TEST_CONTEXT: '',
          npm_config_cache: path.join(kept, 'npm'),
          GOCACHE: path.join(os.homedir(), '.cache', 'go-build'),
          ...env,
        },
        timeoutMs: 240_000,
      }),
  }
}

const userPom = (repository: string) => `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>user</groupId><artifactId>user</artifactId><version>1</version>
  <properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target></properties>
  <repositories><repository><id>files</id><url>${repository}</url></repository></repositories>
  <dependencies>
    <dependency><groupId>dev.bowsprit</groupId><artifactId>bowsprit-junit</artifactId><version>${version}</version></dependency>
  </dependencies>
</project>
`
