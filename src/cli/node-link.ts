import { Command } from 'commander'
import { clusterNode } from '../cluster/nodes/cluster-node.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { kubeconfigOf } from './kubeconfig-file.ts'
import { existingFile, word } from './option-values.ts'
import { reportFailure } from './report-failure.ts'

const VERBS = [
  ['lose', 'cut a simulated node off: its pods run on, and after forty seconds the cluster takes it for lost', 'is cut off'],
  ['recover', 'connect a simulated node again; it gets the changes that it missed', 'is connected'],
] as const

/** `bowsprit node lose|recover NAME`. */
export const nodeLinkCommands = (): readonly Command[] =>
  VERBS.map(([verb, description, done]) =>
    new Command(verb)
      .description(description)
      .argument('<name>', 'node-1', word)
      .option(
        '--kubeconfig <file>',
        'the cluster (default: $KUBECONFIG, ~/.kube/config, or the one that "bowsprit up" writes)',
        existingFile,
      )
      .action(async (name: string, { kubeconfig }: { readonly kubeconfig?: string }) => {
        try {
          await using transport = httpsTransport(await kubeconfigOf({ kubeconfig }))
          const client = createClient(transport)
          await clusterNode(name, client)[verb]()
          console.log(`${name} ${done}`)
        } catch (error) {
          reportFailure(`node ${verb}`, error)
        }
      }),
  )
