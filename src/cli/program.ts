import { Command, CommanderError } from 'commander'
import { usageCode, withOneVoice } from './one-voice.ts'
import { versionText } from './version-text.ts'

/** The commands. Only the requested one is loaded: loading all of them would slow the start of a cluster. */
const COMMANDS: Readonly<Record<string, () => Promise<() => Command>>> = {
  up: async () => (await import('./up.ts')).upCommand,
  list: async () => (await import('./clusters/list.ts')).listCommand,
  status: async () => (await import('./clusters/status.ts')).statusCommand,
  stop: async () => (await import('./clusters/stop.ts')).stopCommand,
  delete: async () => (await import('./clusters/delete.ts')).deleteCommand,
  doctor: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  completion: async () => (await import('./completion/completion.ts')).completionCommand(() => createProgram(undefined)),
  apiserver: async () => (await import('./apiserver.ts')).apiServerCommand,
  certificates: async () => (await import('./certificates.ts')).certificatesCommand,
  assets: async () => (await import('./assets/assets.ts')).assetsCommand,
  scheduler: async () => (await import('./scheduler.ts')).schedulerCommand,
  controllers: async () => (await import('./controllers.ts')).controllersCommand,
  node: async () => (await import('./node.ts')).nodeCommand,
  csi: async () => (await import('./csi.ts')).csiCommand,
  devices: async () => (await import('./devices.ts')).devicesCommand,
  page: async () => (await import('./page.ts')).pageCommand,
  trace: async () => (await import('./trace/trace.ts')).traceCommand,
  tree: async () => (await import('./tree/tree.ts')).treeCommand,
  why: async () => (await import('./why/why.ts')).whyCommand,
  explain: async () => (await import('./explain.ts')).explainCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  generate: async () => (await import('./generate-types.ts')).generateCommand,
  create: async () => (await import('./create.ts')).createCommand,
  'test-operator': async () => (await import('./test-operator.ts')).testOperatorCommand,
  export: async () => (await import('./move.ts')).exportCommand,
  import: async () => (await import('./move.ts')).importCommand,
  'migrate-tpr': async () => (await import('./migrate-tpr.ts')).migrateTprCommand,
  version: async () => (await import('./version.ts')).versionCommand,
}

/** The command line; with a word that names a command, only that one is loaded. Help and unknown words need all of them. */
export async function createProgram(word: string | undefined): Promise<Command> {
  const program = new Command('bowsprit')
    .description('A whole Kubernetes 1.36 cluster, for the people who extend Kubernetes')
    .version(versionText(), '-V, --version', 'print the version, and that of the Kubernetes API that it serves')
    // Options after the arguments of a command that a command runs belong to the former.
    .enablePositionalOptions()
  const load = word === undefined ? undefined : Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined
  for (const each of load === undefined ? Object.values(COMMANDS) : [load]) program.addCommand((await each())())
  return withOneVoice(program)
}

/** Runs the command of `process.argv`; its exit code is set at the end. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  try {
    await (await createProgram(argv[2])).parseAsync(argv)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = usageCode(error)
  }
}
