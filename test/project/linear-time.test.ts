/**
 * Texts of a million characters that provoke quadratic time: a linear algorithm is done at once, a quadratic one does not reach the end of
 * this file. Each was found as a real defect.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { withoutTrailing } from '../../src/base/without-trailing.ts'
import { createEnvironment } from '../../src/machinery/cel/environment.ts'
import { KUBERNETES_LIBRARIES } from '../../src/machinery/cel/kubernetes/libraries.ts'
import { compile } from '../../src/machinery/cel/program.ts'
import { STRING } from '../../src/machinery/cel/types.ts'
import { parseDuration } from '../../src/machinery/go/go-duration.ts'
import { tryParseQuantity } from '../../src/machinery/quantity.ts'
import { pemBlocks } from '../../src/machinery/x509/pem.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import { readSites } from '../../src/node/programs/shipped/images/web-server.ts'
import { parseCronSchedule } from '../../src/resources/batch/cron-schedule.ts'
import { keyPairFault } from '../../src/resources/key-pair.ts'
import { COMMANDS } from '../../src/shell/commands/commands.ts'
import { printfPieces } from '../../src/shell/printf.ts'
import { createContainer } from '../../src/shell/processes/process.double.ts'

const MILLION = 1_000_000
const many = (part: string, length = MILLION) => part.repeat(Math.ceil(length / part.length))
const env = createEnvironment(KUBERNETES_LIBRARIES)

async function sh(script: string, files: Record<string, string>): Promise<string> {
  const { done, out } = createContainer({ clock: systemClock, programs: Object.fromEntries(COMMANDS), files }).run(['sh', '-c', script])
  await done
  return out()
}

const READERS: readonly (readonly [what: string, read: () => unknown])[] = [
  ['blocks of PEM that begin and never end', () => assert.deepEqual(pemBlocks(many('-----BEGIN A-----\n')), [])],
  ['blocks of PEM that end as others', () => assert.deepEqual(pemBlocks(many('-----BEGIN A-----\n-----END B\n')), [])],
  ['types of PEM without an end', () => assert.deepEqual(pemBlocks(many('-----BEGIN A')), [])],
  ["a secret's certificate", () => assert.match(keyPairFault(many('-----BEGIN G-----\n\t'), 'x') ?? '', /failed to find any PEM data/)],
  ['a duration of digits', () => assert.throws(() => parseDuration(many('1')))],
  ['a duration of many parts', () => assert.throws(() => parseDuration(`${many('1h', 10_000)}x`))],
  ['a schedule', () => assert.throws(() => parseCronSchedule(`@every ${many('0')}`))],
  ['a quantity', () => assert.equal(tryParseQuantity(`.${many('0')}x`), undefined)],
  ['line breaks before something else', () => assert.equal(withoutTrailing(`${many('\n')}x`, '\n').length, MILLION + 1)],
  [
    'what a substitution prints',
    async () => assert.equal((await sh('x=$(cat f); echo ${#x}', { '/f': `${many('\n', 900_000)}x` })).trim(), '900001'),
  ],
  ['a format of zeros', () => assert.ok([...printfPieces(`%${many('0')}.`, ['1'])].join('').length > 0)],
  ['a range of cut', () => sh('echo x | cut -c "$(cat f)"', { '/f': `${many('0', 130_000)}x` })],
  ['blanks in CEL', () => compile(`size(x.trim())`, { env, variables: [{ name: 'x', type: STRING }] }).run({ x: `a${many(' ')}b` })],
  ['a line of YAML that is none', () => assert.throws(() => decodeYaml(`${many('- ', 8_000)}a: @b`))],
  ['ports of a web server', () => assert.equal(readSites(`server {${many('listen 0')}`, { port: 80, root: '/' }).length, 1)],
]
for (const [what, read] of READERS)
  test(`a million characters are read in linear time: ${what}`, { timeout: 60_000 }, async () => void (await read()))
