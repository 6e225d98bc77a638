import type { ContainerSpec } from '../runtime/container-spec.ts'
import { wordsOf } from '../runtime/simulated/words.ts'
import type { AnyImage, AnyProgram } from './shipped/shipped-process.ts'
import { runFile, shippedCommand, shippedName } from './shipped/shipped-programs.ts'

/**
 * The program that a word names in a container: one of the image's commands by its path or name, else one that every container has.
 * Undefined: none.
 */
export function findCommand(word: string, image: AnyImage | undefined): AnyProgram | undefined {
  for (const [key, program] of Object.entries(image?.commands ?? {})) if (means(word, key)) return program
  const shipped = shippedName(word)
  return shipped === undefined ? undefined : shippedCommand(shipped)
}

/** Whether a word names a command: a path that very path, a name any path that ends with it. */
function means(word: string, command: string): boolean {
  if (word.includes('/') && command.includes('/')) return word === command
  return lastOf(word) === lastOf(command)
}

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/**
 * What the manifest's `command` and `args`, and the image, make the main process; undefined: no program. `shipped`: whether a program that
 * comes along plays it where the image has none.
 */
export function mainProgram(
  spec: Pick<ContainerSpec, 'command' | 'args' | 'image' | 'mounts' | 'stdin'>,
  { image, shipped }: { readonly image: AnyImage | undefined; readonly shipped: boolean },
): { readonly program: AnyProgram; readonly argv: readonly string[] } | undefined {
  const { command, args } = spec
  const argv = image === undefined ? wordsOf(spec) : command.length > 0 ? [...command, ...args] : []
  const [word] = argv
  if (word !== undefined) {
    const known = image !== undefined || shipped
    const named = known ? (findCommand(word, image) ?? (inVolume(word, spec) ? runFile : undefined)) : undefined
    const program = named ?? image?.run
    return program && { program, argv }
  }
  if (image === undefined) return undefined
  const { entrypoint = [spec.image], args: own = [] } = image
  return { program: image.run, argv: [...entrypoint, ...(args.length > 0 ? args : own)] }
}

/** A script from a volume. */
function inVolume(word: string, { mounts }: Pick<ContainerSpec, 'mounts'>): boolean {
  return mounts.some(({ containerPath, volume }) => volume !== undefined && word.startsWith(`${containerPath.replace(/\/$/, '')}/`))
}

/** Whether what answers for an image plays its server: where the manifest leaves the image's own command, or names it. */
export function standsIn([word]: readonly string[], placeholder: AnyImage | undefined): boolean {
  return placeholder !== undefined && (word === undefined || Object.keys(placeholder.commands ?? {}).some((key) => means(word, key)))
}
