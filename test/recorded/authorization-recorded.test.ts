/**
 * The recorded cases of authorization: the recording program plays requests against `bowsprit apiserver`; starts are tried in this process.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { parseFlags } from '../../src/machinery/flags/parse-flags.ts'
import { authorizationFaults, readAuthorization } from '../../src/server/options/authorization.ts'
import { SERVER_FLAGS } from '../../src/server/options/server-options.ts'
import { throwFaults } from '../../src/server/options-error.ts'
import { runProgram } from '../run-program.ts'
import { upstream } from '../upstream.ts'

interface Step {
  readonly do: string
  readonly seconds?: number
  readonly expect?: { readonly started?: boolean; readonly says?: string }
}

interface Case {
  readonly id: string
  readonly startup?: { readonly flags: Readonly<Record<string, string | null>>; readonly files: Readonly<Record<string, unknown>> }
  readonly steps: readonly Step[]
}

const root = path.join(import.meta.dirname, '..', '..')
const access = path.join(upstream, 'access')
const recorded = JSON.parse(readFileSync(path.join(access, 'authorization.json'), 'utf8')) as { readonly cases: readonly Case[] }

/** Cases that measure time are tested on a virtual clock elsewhere (`webhook-authorizer.test.ts`). */
const isTimed = ({ steps }: Case) => steps.some((step) => step.seconds !== undefined || step.do === 'SLEEP')

test('authorization as recorded from kube-apiserver', { timeout: 300_000 }, async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'access-recorded-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const cases = recorded.cases.filter((c) => c.startup === undefined && !isTimed(c))
  assert.ok(cases.length > 70)
  const file = path.join(folder, 'authorization.json')
  writeFileSync(file, JSON.stringify({ ...recorded, cases }))
  const start = `exec '${process.execPath}' --disable-warning=ExperimentalWarning '${path.join(root, 'src/cli/main.ts')}' apiserver {flags}`
  const words = [path.join(access, 'run.mjs'), '--controllers', 'builtin', '--show', '100', '--start', start, file]
  const { out, err } = await runProgram(process.execPath, words, { timeoutMs: 280_000 })
  assert.match(out, new RegExp(`^${cases.length} passed, 0 failed$`, 'm'), `${out}\n${err}`)
})

/** Files that only a created server reads. */
const LATER = ['webhook fault: file missing']

for (const { id, startup, steps } of recorded.cases) {
  if (startup === undefined || LATER.includes(id)) continue
  test(`a start as recorded: ${id}`, (t) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'access-start-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const filled = (text: string) => text.replaceAll('{dir}', folder).replace(/\{\w+URL\}/g, 'https://127.0.0.1:1')
    for (const [name, content] of Object.entries(startup.files))
      writeFileSync(path.join(folder, name), filled(typeof content === 'string' ? content : JSON.stringify(content)))
    const words = Object.entries(startup.flags).flatMap(([name, value]) => (value === null ? [] : [`--${name}=${filled(value)}`]))
    const flags = parseFlags(SERVER_FLAGS, words)
    const { started = false, says = '' } = steps.at(-1)?.expect ?? {}
    const begin = () => {
      throwFaults(authorizationFaults(flags))
      return readAuthorization(flags)
    }
    if (started) begin()
    else assert.throws(begin, (error) => error instanceof Error && error.message === filled(says))
  })
}
