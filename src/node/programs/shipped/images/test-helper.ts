import type { Program } from '../../program.ts'
import { guestbook } from './guestbook.ts'
import { issuerDiscovery } from './issuer-discovery.ts'
import { mountTest } from './mount-test.ts'
import { netExec } from './net-exec.ts'
import { conversionWebhook, reviewWebhook } from './review-webhook.ts'
import { entrypointTester, inClusterClient, liveness, logsGenerator, pause, serveHostname, testWebserver } from './small-servers.ts'

/** What Kubernetes' test image (`agnhost`) does, by its subcommand, as far as it needs no kernel. */
const SUBCOMMANDS: Readonly<Record<string, Program>> = {
  'crd-conversion-webhook': conversionWebhook,
  'entrypoint-tester': entrypointTester,
  guestbook,
  inclusterclient: inClusterClient,
  liveness,
  'logs-generator': logsGenerator,
  mounttest: mountTest,
  netexec: netExec,
  pause,
  'serve-hostname': serveHostname,
  'test-service-account-issuer-discovery': issuerDiscovery,
  'test-webserver': testWebserver,
  webhook: reviewWebhook,
}

/** Runs a subcommand: its program sees the words after it. */
export const testHelper: Program = (container) => {
  const [name = 'pause', ...args] = container.args
  const program = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined
  if (program === undefined) {
    container.log(`Error: unknown command "${name}" for "app"`)
    return 1
  }
  const argv = name === 'entrypoint-tester' ? container.argv : [name, ...args]
  return program(Object.create(container, { args: { value: args }, argv: { value: argv } }))
}
