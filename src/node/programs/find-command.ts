import type { ContainerSpec } from '../runtime/container-spec.ts'
import type { ImageProgram, Program } from './program.ts'
import { SHIPPED_COMMANDS, SHIPPED_MAINS, shippedName } from './shipped-programs.ts'

/** The program that a word names in a container: one of the image's commands by its path or name, else one that every container has. Undefined: none. */
export function findCommand(word: string, image: ImageProgram | undefined): Program | undefined {
  for (const [key, program] of Object.entries(image?.commands ?? {})) if (means(word, key)) return program
  const shipped = shippedName(word)
  const load = shipped === undefined ? undefined : SHIPPED_COMMANDS[shipped]
  return load && (async (container) => (await load())(container))
}

/** Whether a word names a command: a path that very path, a name any path that ends with it. */
function means(word: string, command: string): boolean {
  if (word.includes('/') && command.includes('/')) return word === command
  return lastOf(word) === lastOf(command)
}

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** What the manifest's `command` and `args`, and the image, make the main process; undefined: no program. */
export function mainProgram(spec: Pick<ContainerSpec, 'command' | 'args' | 'image'>, image: ImageProgram | undefined) {
  const { command, args } = spec
  const [word] = command
  if (word !== undefined) {
    const argv = [...command, ...args]
    const named = image === undefined && !SHIPPED_MAINS.has(shippedName(word) ?? '') ? undefined : findCommand(word, image)
    const program = named ?? image?.run
    return program && { program, argv }
  }
  if (image === undefined) return undefined
  const { entrypoint = [spec.image], args: own = [] } = image
  return { program: image.run, argv: [...entrypoint, ...(args.length > 0 ? args : own)] }
}
