import { Command } from 'commander'
import { messageOf } from '../base/message-of.ts'
import { KUBERNETES_VERSION } from '../base/version.ts'
import { startApiServer } from '../cluster/server/api-server.ts'
import { FlagError } from '../machinery/flags/parse-flags.ts'
import { readServerOptions } from '../server/options/server-options.ts'
import { apiServerHelp } from './kube-apiserver/help.ts'
import { parseServerFlags, serveUntil, takeVersion } from './kube-apiserver/serve.ts'
import { stderrLogger } from './stderr-logger.ts'
import { started, stopSignal } from './stop-signal.ts'

/**
 * `bowsprit apiserver`: an API server alone, with the flags and files of kube-apiserver. Its arguments are parsed by our own parser, not by
 * commander.
 */
export function apiServerCommand(): Command {
  return new Command('apiserver')
    .description('run only an API server, with the flags and files of kube-apiserver, until Ctrl-C')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[flags...]', "kube-apiserver's flags; --help lists them")
    .action((_words, _options, command: Command) => run(command.args))
}

async function run(words: readonly string[]): Promise<void> {
  if (words.includes('--help') || words.includes('-h')) return void console.log(apiServerHelp('bowsprit apiserver'))
  try {
    const { wanted: isVersion, rest } = takeVersion(words)
    if (isVersion) return void console.log(`Kubernetes ${KUBERNETES_VERSION}`)
    const flags = parseServerFlags(rest)
    for (const notice of flags.notices) console.error(notice)
    const stop = stopSignal()
    const log = stderrLogger(flags.values.v >= 2 ? 'debug' : 'warn')
    const server = await started(startApiServer(readServerOptions(flags), { log }), stop)
    console.error(`serving at ${server.address}`)
    await serveUntil(stop, server)
    process.exit(0)
  } catch (error) {
    console.error(failureText(error))
    process.exit(1)
  }
}

/** As kube-apiserver prints it: an invalid argument plainly, everything else as a log line. */
export function failureText(error: unknown): string {
  const message = messageOf(error)
  if (error instanceof FlagError) return `Error: ${message}`
  const said = message.includes('\n') ? `<\n\t${message.replaceAll('\n', '\n\t')}\n >` : JSON.stringify(message)
  return `E "command failed" err=${said}`
}
