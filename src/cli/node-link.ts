import { Command } from 'commander'
import { clusterNode } from '../cluster/nodes/cluster-node.ts'
import { type KubeconfigFlags, withClusterOptions } from './kubeconfig-file.ts'
import { word } from './option-values.ts'
import { withClient } from './with-client.ts'

const VERBS = [
  ['lose', 'disconnect a simulated node: its pods continue to run, and after 40 seconds the cluster treats it as lost', 'is cut off'],
  ['recover', 'connect a simulated node again', 'is connected'],
] as const

/** `bowsprit node lose|recover NAME`. */
export const nodeLinkCommands = (): readonly Command[] =>
  VERBS.map(([verb, description, done]) =>
    withClusterOptions(new Command(verb).description(description).argument('<name>', 'the name of the node', word)).action(
      (name: string, flags: KubeconfigFlags) =>
        withClient(`node ${verb}`, flags, async (client) => {
          await clusterNode(name, client)[verb]()
          console.log(`${name} ${done}`)
        }),
    ),
  )
