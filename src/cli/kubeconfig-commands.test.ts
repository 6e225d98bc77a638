/** The commands that connect to a cluster: errors before the connection. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { controllersCommand } from './controllers.ts'
import { deviceCommand } from './device.ts'
import { explainCommand } from './explain.ts'
import { generateCommand } from './generate-types.ts'
import { migrateTprCommand } from './migrate-tpr.ts'
import { runCommand } from './run-command.double.ts'
import { schedulerCommand } from './scheduler.ts'
import { whyCommand } from './why/why.ts'

const NOWHERE = '/nonexistent/kubeconfig'
const MISSING = new RegExp(`^bowsprit .*: there is no kubeconfig: looked for ${NOWHERE}\n$`)

const REFUSED: readonly (readonly [command: () => Command, words: readonly string[], err: RegExp])[] = [
  [whyCommand, ['node', 'n'], /^bowsprit why: it explains pod, deployment, .*, not "node"\n$/],
  [whyCommand, ['pod'], /^bowsprit why: name the object: bowsprit why pod NAME\n$/],
  [whyCommand, ['pod/'], /^bowsprit why: name the object: bowsprit why pod NAME\n$/],
  [whyCommand, [], /^error: missing required argument 'kind'\n$/],
  [whyCommand, ['pod', 'web', '--kubeconfig', NOWHERE], MISSING],
  [whyCommand, ['po/web', '--kubeconfig', NOWHERE], MISSING],
  [explainCommand, ['network'], /^error: missing required argument 'pod'\n$/],
  [explainCommand, ['network', 'web', '--kubeconfig', NOWHERE], MISSING],
  [controllersCommand, [], /^error: required option '--kubeconfig <file>' not specified\n$/],
  [controllersCommand, ['--kubeconfig', NOWHERE], /^bowsprit controllers: .*\/nonexistent\/kubeconfig/],
  [controllersCommand, ['--kubeconfig', NOWHERE, '--cluster-cidr', 'all'], /^bowsprit controllers: .*cluster-cidr/],
  [schedulerCommand, [], /^bowsprit scheduler: no cluster is named: give --kubeconfig, or clientConnection\.kubeconfig/],
  [schedulerCommand, ['--kubeconfig', NOWHERE], /^bowsprit scheduler: stat \/nonexistent\/kubeconfig: no such file or directory\n$/],
  [schedulerCommand, ['--config', '/nonexistent/c.yaml'], /^bowsprit scheduler: ENOENT: .*\/nonexistent\/c\.yaml/],
  ...['scheduler-name', 'algorithm-provider', 'policy-config-file', 'algorithm-module'].map(
    (flag) =>
      [
        schedulerCommand,
        ['--config', 'c.yaml', `--${flag}`, 'x'],
        new RegExp(`^bowsprit scheduler: --${flag} cannot be used together with --config\n$`),
      ] as const,
  ),
  [
    schedulerCommand,
    ['--algorithm-provider', 'DefaultProvider', '--policy-config-file', 'p'],
    /: --algorithm-provider cannot be used together with --policy-config-file\n$/,
  ],
  [schedulerCommand, ['--algorithm-provider', 'Nobody'], /^bowsprit scheduler: .*Nobody/],
  [migrateTprCommand, ['cron-tab.example.com', '--kubeconfig', NOWHERE], /^bowsprit migrate-tpr: .*\/nonexistent\/kubeconfig/],
  [generateCommand, ['types', 'shirts.example.com', '--kubeconfig', NOWHERE], /^bowsprit generate types: .*\/nonexistent\/kubeconfig/],
  [generateCommand, ['types', '/nonexistent/crd.yaml'], /^bowsprit generate types: ENOENT: .*\/nonexistent\/crd\.yaml/],
  [deviceCommand, ['fail', 'node-1'], /^error: missing required argument 'device'\n$/],
  [deviceCommand, ['fail', 'node-1', 'example.com/dongle-0', '--kubeconfig', NOWHERE], /^bowsprit device: .*\/nonexistent\/kubeconfig/],
  [deviceCommand, ['explode', 'node-1', 'd'], /^error: unknown command 'explode'\n/],
  [generateCommand, ['types'], /^error: missing required argument 'what'\n$/],
]
for (const [command, words, err] of REFUSED)
  test(`${command().name()} ${words.join(' ')} is refused`, async () => {
    const run = await runCommand(command(), ...words)
    assert.match(run.err, err)
    assert.equal(run.code, 1)
    assert.equal(run.out, '')
  })
