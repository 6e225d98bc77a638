import { Command } from 'commander'

interface TestFlags {
  readonly folder?: string
  readonly patience?: string
}

/** `bowsprit devices test`: runs a device plugin through failures and restarts, and grades it. */
export function devicesCommand(): Command {
  const command = new Command('devices').description('try out device plugins').enablePositionalOptions()
  command
    .command('test')
    .description('run a device plugin through pods, restarts, kills and reboots, and grade it')
    .argument(
      '<command...>',
      'the plugin and its arguments; {folder} is replaced by the folder with kubelet.sock (also in DEVICE_PLUGIN_PATH)',
    )
    .option('--folder <folder>', "the kubelet's folder, for plugins that know only /var/lib/kubelet (default: a new one)")
    .option('--patience <seconds>', 'how long the plugin may take for each step (default: 15)')
    .passThroughOptions()
    .action(async (words: string[], { folder, patience }: TestFlags) => {
      const { testDevicePlugin, trialText } = await import('../testing/device-plugin-trial/test-device-plugin.ts')
      const report = await testDevicePlugin({
        command: words,
        env: { DEVICE_PLUGIN_PATH: '{folder}' },
        ...(folder !== undefined && { folder }),
        ...(patience !== undefined && { patienceMs: Number(patience) * 1000 }),
      })
      console.log(trialText(report))
      process.exit(report.grade === 'F' || report.grade === 'C' ? 1 : 0)
    })
  return command
}
