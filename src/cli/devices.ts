import { Command } from 'commander'
import { changeDeviceCommands } from './change-device.ts'
import { newFolder, seconds } from './option-values.ts'

interface TestFlags {
  readonly folder?: string
  readonly patience?: number
}

/** `bowsprit devices test`: runs a device plugin through failures and restarts, and grades it. */
export function devicesCommand(): Command {
  const command = new Command('devices')
    .description('test device plugins, and change the described devices of a running node')
    .enablePositionalOptions()
  command
    .command('test')
    .description('test a device plugin with pods, restarts, kills and reboots, and grade it')
    .argument(
      '<command...>',
      'the plugin and its arguments; {folder} is replaced by the folder with kubelet.sock (also in DEVICE_PLUGIN_PATH)',
    )
    .option(
      '--folder <folder>',
      'the folder of the kubelet, for plugins that always use /var/lib/kubelet (default: a new folder)',
      newFolder,
    )
    .option('--patience <seconds>', 'the longest time for each step (default: 15)', seconds)
    .passThroughOptions()
    .action(async (words: string[], { folder, patience }: TestFlags) => {
      const { testDevicePlugin, trialText } = await import('../testing/device-plugin-trial/test-device-plugin.ts')
      const report = await testDevicePlugin({
        command: words,
        env: { DEVICE_PLUGIN_PATH: '{folder}' },
        ...(folder !== undefined && { folder }),
        ...(patience !== undefined && { patienceMs: patience * 1000 }),
      })
      console.log(trialText(report))
      process.exit(report.grade === 'F' || report.grade === 'C' ? 1 : 0)
    })
  for (const change of changeDeviceCommands()) command.addCommand(change)
  return command
}
