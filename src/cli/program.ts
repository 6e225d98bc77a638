import { Command } from 'commander'
import { apiServerCommand } from './apiserver.ts'
import { checkCommand } from './check.ts'
import { controllersCommand } from './controllers.ts'
import { deviceCommand } from './device.ts'
import { devicesCommand } from './devices.ts'
import { explainCommand } from './explain.ts'
import { generateCommand } from './generate-types.ts'
import { migrateTprCommand } from './migrate-tpr.ts'
import { schedulerCommand } from './scheduler.ts'
import { upCommand } from './up.ts'
import { versionCommand } from './version.ts'
import { whyCommand } from './why.ts'

const program = new Command('bowsprit')
  .description('A whole Kubernetes 1.36 cluster, for the people who extend Kubernetes')
  .showHelpAfterError()
for (const command of [
  upCommand(),
  apiServerCommand(),
  schedulerCommand(),
  controllersCommand(),
  deviceCommand(),
  devicesCommand(),
  whyCommand(),
  explainCommand(),
  checkCommand(),
  generateCommand(),
  migrateTprCommand(),
  versionCommand(),
])
  program.addCommand(command)
await program.parseAsync()
