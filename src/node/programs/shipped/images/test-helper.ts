import type { Program } from '../../program.ts'
import { guestbook } from './guestbook.ts'
import { healthServer } from './health-server.ts'
import { issuerDiscovery } from './issuer-discovery.ts'
import { mountTest } from './mount-test.ts'
import { netExec } from './net-exec.ts'
import { netTest } from './net-test.ts'
import { porter } from './porter.ts'
import { conversionWebhook, reviewWebhook } from './review-webhook.ts'
import { entrypointTester, inClusterClient, liveness, logsGenerator, pause, serveHostname, testWebserver } from './small-servers.ts'

/** Words of a pod's `resolv.conf`: what the node has to write there. */
const resolverWords =
  (word: string): Program =>
  async (container) => {
    const lines = (await container.files.readFile('/etc/resolv.conf', 'utf8')).split('\n').map((l) => l.split(/\s+/))
    container.log(lines.flatMap(([first, ...rest]) => (first === word ? rest : [])).join(','))
    return 0
  }

const etcHosts: Program = async (container) => {
  await container.stdout.write(await container.files.readFile('/etc/hosts', 'utf8'))
  return 0
}

/** What Kubernetes' test image (`agnhost`) does, by its subcommand, as far as it needs no kernel. */
const SUBCOMMANDS: Readonly<Record<string, Program>> = {
  'crd-conversion-webhook': conversionWebhook,
  'dns-server-list': resolverWords('nameserver'),
  'dns-suffix': resolverWords('search'),
  'entrypoint-tester': entrypointTester,
  'etc-hosts': etcHosts,
  'grpc-health-checking': healthServer,
  guestbook,
  inclusterclient: inClusterClient,
  liveness,
  'logs-generator': logsGenerator,
  mounttest: mountTest,
  netexec: netExec,
  nettest: netTest,
  pause,
  porter,
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
