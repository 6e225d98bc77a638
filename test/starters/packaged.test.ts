/** Distributions of the package: the single executable, the GitHub Action, and tests of vitest and jest with the installed package. */
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { before, suite, test } from 'node:test'
import { load } from 'js-yaml'
import { builtPackage } from '../built-package.ts'
import { runProgram } from '../run-program.ts'
import { kept, lacks, root, starter } from './starter.ts'

const executable = path.join(root, 'executables', `bowsprit-linux-${process.arch}`)
const js = path.join(kept, 'js')

suite('made of the package', () => {
  const built = builtPackage()
  before(async () => {
    const env = { BOWSPRIT_DIST: built.dist }
    const made = await runProgram(process.execPath, [path.join(root, 'scripts', 'sea.ts'), process.arch, '--unmeasured'], {
      cwd: root,
      env,
    })
    assert.equal(made.code, 0, made.err)
  })

  test('the single executable is a bowsprit that needs no Node', async (t) => {
    const { folder, run, left } = starter(t, 'test_colors.py')
    // This PATH has no Node.
    const env = { PATH: '/bin:/usr/bin', XDG_CACHE_HOME: path.join(folder, 'cache'), NODE_OPTIONS: '' }
    const said = await run(executable, ['version'], env)
    assert.match(said.out, /^bowsprit \d/, said.err)
    assert.equal(readdirSync(path.join(folder, 'cache', 'bowsprit')).length, 1)
    // Standard input of `run` is at its end, so that the cluster stops as soon as it is up.
    const up = await run(executable, ['up', '--ephemeral', '--port', '0', '--until-stdin-ends'], env)
    assert.deepEqual([up.code, up.err], [0, ''])
    const laid = await run(executable, ['assets', 'assets'], env)
    assert.equal(laid.code, 0, laid.err)
    const wrong = await run('assets/kube-apiserver', ['--no-such-flag'], env)
    assert.deepEqual([wrong.code, wrong.err.split('\n')[0]], [1, 'Error: unknown flag: --no-such-flag'])
    assert.deepEqual(left(), [])
  })

  test('the single executable runs where no cache can be written, and leaves nothing', async (t) => {
    const { folder, run, left } = starter(t, 'test_colors.py')
    const said = await run(executable, ['version'], { XDG_CACHE_HOME: path.join(folder, 'test_colors.py') })
    assert.deepEqual([said.code, left()], [0, []], said.err)
  })

  test('the action starts a cluster for the steps that follow', async (t) => {
    const { folder, run } = starter(t, 'test_colors.py')
    const steps = (load(readFileSync(path.join(root, 'action.yml'), 'utf8')) as { runs: { steps: { run?: string }[] } }).runs.steps
    writeFileSync(path.join(folder, 'step.sh'), steps.find((step) => step.run !== undefined)?.run ?? '')
    const env = {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      RUNNER_TEMP: path.join(folder, 'runner'),
      GITHUB_ENV: path.join(folder, 'env'),
      GITHUB_PATH: path.join(folder, 'path'),
      GITHUB_OUTPUT: path.join(folder, 'output'),
      PACKAGE: built.tarball,
      NODES: '2',
      PARTS: 'server,controllers,scheduler,nodes',
      FLAGS: '',
    }
    // The runner kills what a job leaves behind; here the script's shell does.
    const job = `. ./step.sh\n. ./env\nexport KUBECONFIG\n"$(cat path)/bowsprit" why --help > /dev/null\ncat "$KUBECONFIG"\nkill $up\nwait $up`
    const ended = await run('bash', ['-e', '-o', 'pipefail', '-c', job], env)
    assert.equal(ended.code, 0, ended.err)
    assert.match(ended.out, /server: https:\/\/127\.0\.0\.1:\d+/)

    const refused = await run('bash', ['-e', '-o', 'pipefail', 'step.sh'], {
      ...env,
      RUNNER_TEMP: path.join(folder, 'tmp'),
      PARTS: 'sails',
    })
    assert.equal(refused.code, 1)
    assert.match(refused.err, /sails/)
  })

  for (const [name, ...words] of [
    ['vitest', 'vitest.mjs', 'run'],
    ['jest', 'bin/jest.js'],
  ] as const)
    test(`a test of ${name} has a cluster`, async (t) => {
      mkdirSync(js, { recursive: true })
      const install = ['install', '--prefix', js, '--no-audit', '--no-fund', '--no-package-lock', 'vitest@4', 'jest@30']
      const why = existsSync(path.join(js, 'node_modules', name)) ? undefined : await lacks('npm', ...install)
      if (why !== undefined) return t.skip(why)
      const { folder, run } = starter(t, `colors.${name}.test.js`)
      const modules = path.join(folder, 'node_modules')
      mkdirSync(path.join(modules, 'bowsprit'), { recursive: true })
      for (const there of readdirSync(path.join(js, 'node_modules')).filter((there) => !there.startsWith('.')))
        symlinkSync(path.join(js, 'node_modules', there), path.join(modules, there))
      cpSync(built.dist, path.join(modules, 'bowsprit', 'dist'), { recursive: true })
      cpSync(path.join(built.folder, 'package.json'), path.join(modules, 'bowsprit', 'package.json'))
      writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
      const program = path.join(modules, name, words[0])
      const { code, out, err } = await run(process.execPath, ['--experimental-vm-modules', program, ...words.slice(1)], {
        NODE_TEST_CONTEXT: '',
        CI: 'yes',
      })
      assert.equal(code, 0, `${out}${err}`)
      assert.match(`${out}${err}`, /1 passed/)
      rmSync(modules, { recursive: true })
    })
})
