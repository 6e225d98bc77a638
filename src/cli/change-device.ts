import { Command } from 'commander'
import { clusterNode } from '../cluster/nodes/cluster-node.ts'
import { type KubeconfigFlags, withClusterOptions } from './kubeconfig-file.ts'
import { word } from './option-values.ts'
import { withClient } from './with-client.ts'

const VERBS = [
  [
    'fail',
    'make a described device (devices.yaml) of a running node unhealthy: it still counts in the capacity, and is no longer allocated',
  ],
  ['recover', 'make a described device healthy again'],
  ['add', 'plug in a described device'],
  ['remove', 'pull out a described device'],
] as const

/** `bowsprit devices fail|recover|add|remove`: change the described devices of a running node. */
export const changeDeviceCommands = (): readonly Command[] =>
  VERBS.map(([verb, description]) =>
    withClusterOptions(
      new Command(verb)
        .description(description)
        .argument('<node>', 'the name of the node', word)
        .argument('<device>', 'its resource and number: example.com/dongle-0', word),
    ).action((node: string, device: string, flags: KubeconfigFlags) =>
      withClient(`devices ${verb}`, flags, async (client) => {
        await clusterNode(node, client).devices[verb](device)
        console.log(`${device} of ${node}: ${verb}`)
      }),
    ),
  )
