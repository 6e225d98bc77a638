import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { DefaultMounts } from '../../flex-volume/mount-flex-volume.ts'
import { machineMounts } from './mounts.ts'

const run = promisify(execFile)

/** What this machine mounts instead of a FlexVolume driver; errors have the words of the kubelet. */
export const defaultMounts: DefaultMounts = {
  bind: (source, at, { readOnly }) => mount('-t', 'auto', '-o', readOnly ? 'bind,ro' : 'bind', source, at),
  async device(device, at, fsType) {
    const type = fsType || 'ext4'
    // Exit code 2: nothing is known of what is on it.
    const blank = await run('blkid', ['-p', device]).then(
      () => false,
      (error) => error.code === 2,
    )
    if (blank) await run(`mkfs.${type}`, type.startsWith('ext') ? ['-F', '-m0', device] : [device])
    await mount('-t', type, '-o', 'defaults', device, at)
  },
  unmount: (at) => machineMounts.unmount(at),
  isMounted: async (at) => (await machineMounts.below(at)).includes(at),
}

async function mount(...args: readonly string[]): Promise<void> {
  await run('mount', [...args]).catch(({ code, stderr }) => {
    throw new Error(`mount failed: exit status ${code}\nMounting command: mount\nMounting arguments: ${args.join(' ')}\nOutput: ${stderr}`)
  })
}
