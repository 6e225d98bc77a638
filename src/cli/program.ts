import { Command, CommanderError } from 'commander'
import { keepAlive } from '../base/clock.ts'
import { usageCode, withOneVoice } from './one-voice.ts'
import { versionText } from './version-text.ts'

type Load = () => Promise<() => Command>

/** The commands, in the groups of the help. Only the requested one is loaded: loading all of them would slow the start of a cluster. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Clusters on this machine:': {
    up: async () => (await import('./up.ts')).upCommand,
    list: async () => (await import('./clusters/list.ts')).listCommand,
    status: async () => (await import('./clusters/status.ts')).statusCommand,
    stop: async () => (await import('./clusters/stop.ts')).stopCommand,
    delete: async () => (await import('./clusters/delete.ts')).deleteCommand,
    node: async () => (await import('./node.ts')).nodeCommand,
    doctor: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  'Look into a cluster:': {
    page: async () => (await import('./page.ts')).pageCommand,
    why: async () => (await import('./why/why.ts')).whyCommand,
    tree: async () => (await import('./tree/tree.ts')).treeCommand,
    trace: async () => (await import('./trace/trace.ts')).traceCommand,
    explain: async () => (await import('./explain.ts')).explainCommand,
  },
  'Develop and test extensions:': {
    create: async () => (await import('./create.ts')).createCommand,
    'test-operator': async () => (await import('./test-operator.ts')).testOperatorCommand,
    check: async () => (await import('./check.ts')).checkCommand,
    generate: async () => (await import('./generate-types.ts')).generateCommand,
    devices: async () => (await import('./devices.ts')).devicesCommand,
    assets: async () => (await import('./assets/assets.ts')).assetsCommand,
  },
  'Single parts of a cluster:': {
    apiserver: async () => (await import('./apiserver.ts')).apiServerCommand,
    scheduler: async () => (await import('./scheduler.ts')).schedulerCommand,
    controllers: async () => (await import('./controllers.ts')).controllersCommand,
    csi: async () => (await import('./csi.ts')).csiCommand,
    certificates: async () => (await import('./certificates.ts')).certificatesCommand,
  },
  'Copy and convert objects:': {
    export: async () => (await import('./move.ts')).exportCommand,
    import: async () => (await import('./move.ts')).importCommand,
    'migrate-tpr': async () => (await import('./migrate-tpr.ts')).migrateTprCommand,
  },
  'This program:': {
    completion: async () => (await import('./completion/completion.ts')).completionCommand(() => createProgram(undefined)),
    version: async () => (await import('./version.ts')).versionCommand,
  },
}

const AFTER_HELP = `
Exit codes: 0 success, 1 failure, 2 a mistake in flags, arguments or files.
The options of a command: bowsprit COMMAND --help. Guides: docs/README.md of the repository.`

/** The command line; with a word that names a command, only that one is loaded. Help and unknown words need all of them. */
export async function createProgram(word: string | undefined): Promise<Command> {
  const program = new Command('bowsprit')
    .description('A whole Kubernetes 1.36 cluster, for the people who extend Kubernetes')
    .version(versionText(), '-V, --version', 'print the versions of bowsprit and of the Kubernetes API that it serves')
    // Options after the arguments of a command that a command runs belong to the former.
    .enablePositionalOptions()
    .addHelpText('after', AFTER_HELP)
  const named = Object.values(GROUPS).find((group) => word !== undefined && Object.hasOwn(group, word))?.[word ?? '']
  if (named !== undefined) program.addCommand((await named())())
  else await addAll(program)
  return withOneVoice(program)
}

async function addAll(program: Command): Promise<void> {
  for (const [heading, group] of Object.entries(GROUPS)) {
    program.commandsGroup(heading)
    for (const load of Object.values(group)) program.addCommand((await load())())
  }
  // In the last group.
  program.helpCommand(true)
}

/** Runs the command of `process.argv`; its exit code is set at the end. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  // Timers do not hold the process: a command that waits for nothing else would end without a word.
  const release = keepAlive()
  try {
    await (await createProgram(argv[2])).parseAsync(argv)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = usageCode(error)
  } finally {
    release()
  }
}
