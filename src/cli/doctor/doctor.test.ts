import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { runCommand } from '../run-command.double.ts'
import { diagnose } from './diagnosis.ts'
import { diagnosisText, doctorCommand } from './doctor.ts'
import type { MachineFacts } from './machine-facts.ts'

const GOOD: MachineFacts = {
  platform: 'linux x64',
  node: '26.10.0',
  home: '/home/me/.local/share/bowsprit',
  homeWritable: true,
  takenPorts: new Map(),
  running: [],
  loopbackRange: true,
  localhostNames: true,
  kubectl: '1.36.0',
  helm: '4.0.0',
  root: true,
  containerd: true,
  cgroup2: true,
  missingPrograms: [],
}

test('a machine with all of it', () => {
  assert.deepEqual(new Set(diagnose(GOOD).map(({ state }) => state)), new Set(['ok']))
})

const LACKS: readonly [what: string, facts: Partial<MachineFacts>, state: string, line: RegExp][] = [
  ['a home that cannot be written', { homeWritable: false }, 'missing', /clusters .*cannot be written\n.*→ .*--data-dir/],
  [
    'a port that another program has',
    { takenPorts: new Map([[6443, 'EADDRINUSE']]) },
    'limited',
    /6443 cannot be opened \(EADDRINUSE\)\n.*--port 0/,
  ],
  ['the port of Ingresses', { takenPorts: new Map([[22_080, 'EADDRINUSE']]) }, 'limited', /port 22080 is in use\n.*→/],
  ['one loopback address', { loopbackRange: false }, 'limited', /127\.0\.0\.1 alone\n.*ifconfig lo0 alias/],
  ['names of localhost', { localhostNames: false }, 'limited', /only browsers and curl .*\n.*\/etc\/hosts/],
  ['kubectl', { kubectl: undefined }, 'limited', /kubectl +not on the PATH\n.*npm run kubectl/],
  ['an old kubectl', { kubectl: '1.32.4' }, 'limited', /kubectl +1\.32\.4, for a server of v1\.36/],
  ['helm', { helm: undefined }, 'optional', /helm +not on the PATH/],
  [
    'what real nodes need',
    { root: false, containerd: false, missingPrograms: ['nft'] },
    'optional',
    /lack root, containerd \(.*\), nft\n.*apt-get/,
  ],
]
for (const [what, facts, state, line] of LACKS)
  test(`a machine that lacks ${what} is told the mend`, () => {
    const checks = diagnose({ ...GOOD, ...facts })
    assert.deepEqual(
      checks.filter((c) => c.state !== 'ok').map((c) => c.state),
      [state],
    )
    assert.match(stripVTControlCharacters(diagnosisText(checks)), line)
  })

test('the port of one’s own cluster is no fault', () => {
  const facts = { ...GOOD, takenPorts: new Map([[6443, 'EADDRINUSE']]), running: [{ name: 'shop', address: 'https://127.0.0.1:6443' }] }
  assert.match(diagnosisText(diagnose(facts)), /6443 is that of your cluster shop/)
})

test('bowsprit doctor looks at this machine', async () => {
  const { out } = await runCommand(doctorCommand())
  assert.match(out, new RegExp(`Node +${process.versions.node}`))
})
