import { Command } from 'commander'

/** The commands. The code of one that was not asked for is not read: it is more than a cluster's start can wait for. */
const COMMANDS: Readonly<Record<string, () => Promise<() => Command>>> = {
  up: async () => (await import('./up.ts')).upCommand,
  apiserver: async () => (await import('./apiserver.ts')).apiServerCommand,
  assets: async () => (await import('./assets/assets.ts')).assetsCommand,
  scheduler: async () => (await import('./scheduler.ts')).schedulerCommand,
  controllers: async () => (await import('./controllers.ts')).controllersCommand,
  device: async () => (await import('./device.ts')).deviceCommand,
  devices: async () => (await import('./devices.ts')).devicesCommand,
  why: async () => (await import('./why.ts')).whyCommand,
  explain: async () => (await import('./explain.ts')).explainCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  generate: async () => (await import('./generate-types.ts')).generateCommand,
  'test-operator': async () => (await import('./test-operator.ts')).testOperatorCommand,
  'migrate-tpr': async () => (await import('./migrate-tpr.ts')).migrateTprCommand,
  version: async () => (await import('./version.ts')).versionCommand,
}

const program = new Command('bowsprit')
  .description('A whole Kubernetes 1.36 cluster, for the people who extend Kubernetes')
  .showHelpAfterError()
  // What stands behind the words of a command that it runs is that command's.
  .enablePositionalOptions()
// Help, and a wrong word, are told with all of them.
const first = Object.entries(COMMANDS).filter(([name]) => name === process.argv[2])
for (const [, load] of first.length > 0 ? first : Object.entries(COMMANDS)) program.addCommand((await load())())
await program.parseAsync()
