/** The commands that connect to a cluster: errors before the connection. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { controllersCommand } from './controllers.ts'
import { devicesCommand } from './devices.ts'
import { explainCommand } from './explain.ts'
import { generateCommand } from './generate-types.ts'
import { migrateTprCommand } from './migrate-tpr.ts'
import { runCommand } from './run-command.double.ts'
import { schedulerCommand } from './scheduler.ts'
import { whyCommand } from './why/why.ts'

const NOWHERE = '/nonexistent/kubeconfig'
/** A file that is there. */
const THIS = import.meta.filename
const MISSING = new RegExp(`^bowsprit .*: --kubeconfig: "${NOWHERE}" does not exist: name a file\n$`)

const REFUSED: readonly (readonly [command: () => Command, words: readonly string[], err: RegExp])[] = [
  [whyCommand, ['node', 'n'], /^bowsprit why: kind: "node" is none of pod, deployment, .*\n$/],
  [whyCommand, ['pod'], /^bowsprit why: name the object: bowsprit why pod NAME\n$/],
  [whyCommand, ['pod/'], /^bowsprit why: name the object: bowsprit why pod NAME\n$/],
  [whyCommand, [], /^bowsprit why: missing required argument 'kind' \(see bowsprit why --help\)\n$/],
  [whyCommand, ['pod', 'web', '--kubeconfig', NOWHERE], MISSING],
  [whyCommand, ['po/web', '--kubeconfig', NOWHERE], MISSING],
  [whyCommand, ['job', 'mig', '--node'], /^bowsprit why: --node is for pods only\n$/],
  [whyCommand, ['job', 'mig', '--config', THIS], /^bowsprit why: --config is for pods only\n$/],
  [whyCommand, ['pod', 'web', '--node', '--config', THIS], /^bowsprit why: --config cannot be used together with --node\n$/],
  [whyCommand, ['pod', 'web', '-o', 'svg'], /^bowsprit why: --output: "svg" needs --node\n$/],
  [
    explainCommand,
    ['network', 'web', '--from', 'a', '--to', 'b'],
    /^bowsprit explain network: --from cannot be used together with --to\n$/,
  ],
  [explainCommand, ['network', 'web', '--port', '80'], /^bowsprit explain network: --port needs --from or --to\n$/],
  [explainCommand, ['network'], /^bowsprit explain network: missing required argument 'pod'/],
  [explainCommand, ['network', 'web', '--kubeconfig', NOWHERE], MISSING],
  [controllersCommand, [], /^bowsprit controllers: required option '--kubeconfig <file>' not specified/],
  [controllersCommand, ['--kubeconfig', NOWHERE], MISSING],
  [controllersCommand, ['--kubeconfig', THIS, '--cluster-cidr', 'all'], /^bowsprit controllers: .*cluster-cidr/],
  [schedulerCommand, [], /^bowsprit scheduler: no cluster is named: give --kubeconfig, or clientConnection\.kubeconfig/],
  [schedulerCommand, ['--kubeconfig', NOWHERE], /^bowsprit scheduler: stat \/nonexistent\/kubeconfig: no such file or directory\n$/],
  [schedulerCommand, ['--config', '/nonexistent/c.yaml'], /^bowsprit scheduler: --config: "\/nonexistent\/c\.yaml" does not exist/],
  ...['scheduler-name', 'algorithm-provider', 'policy-config-file', 'algorithm-module'].map(
    (flag) =>
      [
        schedulerCommand,
        ['--config', THIS, `--${flag}`, THIS],
        new RegExp(`^bowsprit scheduler: --${flag} cannot be used together with --config\n$`),
      ] as const,
  ),
  [
    schedulerCommand,
    ['--algorithm-provider', 'DefaultProvider', '--policy-config-file', THIS],
    /: --algorithm-provider cannot be used together with --policy-config-file\n$/,
  ],
  [schedulerCommand, ['--algorithm-provider', 'Nobody'], /^bowsprit scheduler: .*Nobody/],
  [migrateTprCommand, ['cron-tab.example.com', '--kubeconfig', NOWHERE], MISSING],
  [generateCommand, ['types', 'shirts.example.com', '--kubeconfig', NOWHERE], MISSING],
  [generateCommand, ['types', '/nonexistent/crd.yaml'], /^bowsprit generate types: \/nonexistent\/crd\.yaml does not exist/],
  [devicesCommand, ['fail', 'node-1'], /^bowsprit devices fail: missing required argument 'device'/],
  [devicesCommand, ['fail', 'node-1', 'example.com/dongle-0', '--kubeconfig', NOWHERE], MISSING],
  [devicesCommand, ['explode', 'node-1', 'd'], /^bowsprit devices: unknown command 'explode'/],
  [generateCommand, ['types'], /^bowsprit generate types: missing required argument 'what'/],
]
for (const [command, words, err] of REFUSED)
  test(`${command().name()} ${words.join(' ')} is refused`, async () => {
    const run = await runCommand(command(), ...words)
    assert.match(run.err, err)
    assert.equal(run.code, 2)
    assert.equal(run.out, '')
  })
