import { permissionLetters } from '../../../../shell/commands/permissions.ts'
import type { Program } from '../../program.ts'
import { readFlags } from './flags.ts'

/** As Go prints permissions: `-rw-r--r--`. */
const permissions = (mode: number, kind: string) => (kind === 'directory' ? 'd' : '-') + permissionLetters(mode)

/** `mounttest`: prints facts of mounted files. */
export const mountTest: Program = async (container) => {
  const { files } = container
  const flags = readFlags(container.args, ['break_on_expected_content'])
  const each = async (name: string, tell: (path: string) => Promise<string>) => {
    for (const path of flags.text(name).split(','))
      if (path !== '') container.log(await tell(path).catch((error: Error) => `error for "${path}": ${error.message}`))
  }
  for (const mode of ['0644', '0666', '0660', '0777'])
    await each(`new_file_${mode}`, async (path) => {
      await files.writeFile(path, 'mount-tester new file\n', { mode: Number.parseInt(mode, 8) })
      await files.chmod(path, Number.parseInt(mode, 8))
      return `content of file "${path}": ${await files.readFile(path, 'utf8')}`
    })
  await each('fs_type', async (path) => `mount type of "${path}": tmpfs`)
  await each('file_mode', async (path) => {
    const { mode, kind } = await files.stat(path)
    const text = permissions(mode, kind)
    return `mode of file "${path}": ${kind === 'directory' && (mode & 0o1000) !== 0 ? `dt${text.slice(1)}` : text}`
  })
  await each('file_perm', async (path) => `perms of file "${path}": ${permissions((await files.stat(path)).mode, 'file')}`)
  await each('file_owner', async (path) => {
    const { uid, gid } = await files.stat(path)
    return `owner UID of "${path}": ${uid}\nowner GID of "${path}": ${gid}`
  })
  await each('file_content', async (path) => `content of file "${path}": ${await files.readFile(path, 'utf8')}`)
  const looked = flags.text('file_content_in_loop')
  if (looked === '') return 0
  const retries = flags.number('retry_time', 180)
  for (let i = 0; i < retries; i++) {
    const content = await files.readFile(looked, 'utf8').catch((error: Error) => error)
    container.log(
      content instanceof Error ? `Error reading file ${looked}: ${content.message}, retrying` : `content of file "${looked}": ${content}`,
    )
    await container.clock.sleep(1000)
  }
  return 0
}
