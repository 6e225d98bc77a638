import type { Client } from '../sdk/client/client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import type { KubeconfigContext } from '../sdk/client/kubeconfig.ts'
import { type KubeconfigFlags, kubeconfigOf } from './kubeconfig-file.ts'
import { reporting } from './report-failure.ts'

/** Runs a command with a client of its cluster, and reports its failure. */
export const withClient = (
  command: string,
  flags: KubeconfigFlags,
  work: (client: Client, config: KubeconfigContext) => Promise<void>,
): Promise<void> =>
  reporting(command, async () => {
    const config = await kubeconfigOf(flags)
    await using transport = httpsTransport(config)
    await work(createClient(transport), config)
  })
