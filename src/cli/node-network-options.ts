import type { Command } from 'commander'
import { CNI_FOLDER } from '../cluster/nodes/cni-folder.ts'
import { newFolder, trueOrFalse } from './option-values.ts'

/** Adds the options of what a real node does for the network of its cluster. `dns`: what `--cluster-dns` does. */
export const withNodeNetworkOptions = (command: Command, dns: string): Command =>
  command
    .option(
      '--service-proxy [boolean]',
      'forward addresses of services to their endpoints, as kube-proxy does (default: true)',
      trueOrFalse,
    )
    .option('--cluster-dns [boolean]', `${dns} (default: true)`, trueOrFalse)
    .option('--network-policies [boolean]', 'enforce NetworkPolicies (default: true)', trueOrFalse)
    .option('--cni [folder]', `write a CNI configuration if the folder has none (default folder: ${CNI_FOLDER})`, newFolder)
