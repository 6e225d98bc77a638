import { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { portErrorOf } from '../cluster/config.ts'
import { openPage } from '../page/server/open-page.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { type KubeconfigFlags, kubeconfigOf, withClusterOptions } from './kubeconfig-file.ts'
import { portNumber } from './option-values.ts'
import { reporting } from './report-failure.ts'
import { stopSignal } from './stop-signal.ts'

interface PageFlags extends KubeconfigFlags {
  readonly port?: number
  readonly readOnly?: boolean
}

/** `bowsprit page`: the page of any Kubernetes cluster. */
export function pageCommand(): Command {
  return withClusterOptions(
    new Command('page')
      .description('serve a web page that shows any Kubernetes cluster, on 127.0.0.1, until Ctrl-C')
      .option('--port <port>', 'the port of the page on 127.0.0.1 (default: a free one)', portNumber)
      .option('--read-only', 'the page cannot change anything'),
  ).action(page)
}

const page = ({ port = 0, readOnly = false, ...flags }: PageFlags): Promise<void> =>
  reporting('page', async () => {
    const config = await kubeconfigOf(flags)
    const stopped = stopSignal()
    await using transport = httpsTransport({ ...config, userAgent: 'bowsprit-page' })
    const client = createClient(transport)
    // An unreachable server, or one that refuses the user, is reported here and not in the browser.
    await client.page('/version')
    const shown = { clusterName: config.context, serverAddress: config.server }
    await using open = await openPage(port, { client, clock: systemClock, ...shown, readOnly }).catch((error: unknown) => {
      throw portErrorOf(error, { host: '127.0.0.1', port, option: '--port' })
    })
    console.log(`page  ${open.link}`)
    await stopped
  })
