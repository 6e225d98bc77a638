import { Command } from 'commander'
import type { NetworkWorld } from '../machinery/network/network-world.ts'
import { worldOf } from '../machinery/network/world-of-objects.ts'
import { NAMESPACES, NETWORK_POLICIES, PODS } from '../resources/refs.ts'
import type { Client } from '../sdk/client/client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { answerNetworkQuestion } from './answer-network-question.ts'
import { checkTogether, type FlagRules } from './flags-together.ts'
import { type KubeconfigFlags, kubeconfigOf, withClusterOptions } from './kubeconfig-file.ts'
import { oneOf, word } from './option-values.ts'
import { reporting } from './report-failure.ts'

interface ExplainFlags extends KubeconfigFlags {
  readonly namespace?: string
  readonly output?: string
  readonly from?: string
  readonly to?: string
  readonly port?: string
}

/** `bowsprit explain network POD`: which NetworkPolicies select a pod, and which connections they allow. */
export function explainCommand(): Command {
  const network = withClusterOptions(
    new Command('network')
      .description('show which NetworkPolicies select a pod, and which connections they allow')
      .argument('<pod>', 'the pod, or NAMESPACE/POD', word)
      .option('--from <end>', 'check one connection to the pod: from POD, NAMESPACE/POD or an address', word)
      .option('--to <end>', 'check one connection from the pod: to POD, NAMESPACE/POD or an address', word)
      .option('--port <port>', 'the port of that connection: 80, 53/UDP, or the name of a port of the receiving pod', word)
      .option('-n, --namespace <name>', 'the namespace of pods that are given without one (default: that of the context)', word)
      .option('-o, --output <form>', '"json": the whole report', oneOf('json')),
  ).action(explainNetwork)
  return new Command('explain').description('explain the combined effect of several objects').addCommand(network)
}

const RULES: FlagRules<keyof ExplainFlags> = { notTogether: [['from', 'to']], needed: [['port', 'from', 'to']] }

const explainNetwork = (pod: string, flags: ExplainFlags): Promise<void> =>
  reporting('explain network', async () => {
    checkTogether((name) => flags[name] !== undefined, RULES)
    const config = await kubeconfigOf(flags)
    await using transport = httpsTransport(config)
    const world = await readWorld(createClient(transport))
    const namespace = flags.namespace ?? config.namespace ?? 'default'
    const { report, text } = answerNetworkQuestion({ ...flags, pod, namespace }, world)
    console.log(flags.output === 'json' ? JSON.stringify(report, undefined, 2) : text)
  })

async function readWorld(client: Client): Promise<NetworkWorld> {
  const [namespaces, pods, policies] = await Promise.all([client.list(NAMESPACES), client.list(PODS), client.list(NETWORK_POLICIES)])
  return worldOf({ namespaces: namespaces.items, pods: pods.items, policies: policies.items })
}
