#!/usr/bin/env node
import { Command } from 'commander'
import { upCommand } from './up.ts'
import { versionCommand } from './version.ts'

const program = new Command('bowsprit')
  .description('A whole Kubernetes 1.36 cluster, for the people who extend Kubernetes')
  .showHelpAfterError()
for (const command of [upCommand(), versionCommand()]) program.addCommand(command)
await program.parseAsync()
