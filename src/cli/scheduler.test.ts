import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { decodeYaml } from '../machinery/yaml/yaml.ts'
import { folderOf, runCommand } from './run-command.double.ts'
import { schedulerCommand } from './scheduler.ts'

const CONFIG = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: { leaderElect: false }
profiles: [{ schedulerName: mine }]
`

interface Written {
  readonly leaderElection: { readonly leaderElect: boolean }
  readonly clientConnection: { readonly kubeconfig: string }
  readonly profiles: readonly { readonly schedulerName: string }[]
}

const ROWS: readonly [words: readonly string[], expected: { leaderElect: boolean; kubeconfig: string; schedulerName: string }][] = [
  [[], { leaderElect: true, kubeconfig: '', schedulerName: 'default-scheduler' }],
  [['--scheduler-name', 'other'], { leaderElect: true, kubeconfig: '', schedulerName: 'other' }],
  [['--algorithm-provider', 'ClusterAutoscalerProvider'], { leaderElect: true, kubeconfig: '', schedulerName: 'default-scheduler' }],
  [['--config', 'CONFIG'], { leaderElect: false, kubeconfig: '', schedulerName: 'mine' }],
  [['--config', 'CONFIG', '--leader-elect'], { leaderElect: true, kubeconfig: '', schedulerName: 'mine' }],
  [['--no-leader-elect', '--kubeconfig', '/k'], { leaderElect: false, kubeconfig: '/k', schedulerName: 'default-scheduler' }],
]
for (const [words, expected] of ROWS)
  test(`scheduler ${words.join(' ')} --write-config-to writes the configuration, complete`, async (t) => {
    const at = folderOf(t, { 'config.yaml': CONFIG })
    const to = at('written.yaml')
    const given = words.map((word) => (word === 'CONFIG' ? at('config.yaml') : word))
    assert.deepEqual(await runCommand(schedulerCommand(), ...given, '--write-config-to', to), { code: 0, out: '', err: '' })
    const { leaderElection, clientConnection, profiles } = decodeYaml(readFileSync(to, 'utf8')).value as unknown as Written
    assert.deepEqual(
      { ...clientConnection, leaderElect: leaderElection.leaderElect, schedulerName: profiles[0]?.schedulerName },
      { ...clientConnection, ...expected },
    )
  })
