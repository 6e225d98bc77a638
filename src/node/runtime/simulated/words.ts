import type { ContainerSpec } from '../container-spec.ts'

/** Base images without an entrypoint, whose default command is a shell: last name → that shell. */
const BARE_IMAGES: ReadonlyMap<string, string> = new Map([
  ...['busybox', 'alpine', 'debian', 'ubuntu', 'jessie-dnsutils', 'dnsutils'].map((name) => [name, 'sh'] as const),
  ...['bash', 'centos', 'fedora', 'rockylinux', 'almalinux', 'oraclelinux', 'amazonlinux', 'ubi', 'ubi-minimal', 'netshoot'].map(
    (name) => [name, 'bash'] as const,
  ),
])

/** Images whose entrypoint is one program: arguments that are neither a shell nor that program are passed to it. */
const TOOL_IMAGES: ReadonlyMap<string, string> = new Map([['curl', 'curl']])

const SHELLS = new Set(['sh', 'bash', 'ash', 'dash'])

/**
 * The command line of a container's main process, as far as manifest and image say; empty: only the image knows. The content of simulated
 * images is unknown, except how base images treat arguments; an entrypoint that gets a shell as argument runs it.
 */
export function wordsOf({ command, args, image, stdin }: Pick<ContainerSpec, 'command' | 'args' | 'image' | 'stdin'>): readonly string[] {
  if (command.length > 0) return [...command, ...args]
  const name = lastName(image)
  const [first] = args
  if (first === undefined) {
    // Without stdin such a shell would end at once, which is not useful for a pod with only a base image: it keeps running.
    const shell = BARE_IMAGES.get(name)
    return shell !== undefined && stdin ? [shell] : []
  }
  const word = first.slice(first.lastIndexOf('/') + 1)
  if (SHELLS.has(word) || BARE_IMAGES.has(name)) return args
  const tool = TOOL_IMAGES.get(name)
  if (tool === undefined) return []
  return word === tool ? args : [tool, ...args]
}

/** Whether the files of an image are known. */
export const isBareImage = (image: string): boolean => BARE_IMAGES.has(lastName(image))

/** `docker.io/library/busybox:1.37@sha256:…` is `busybox`. */
export function lastName(image: string): string {
  const name = image.slice(image.lastIndexOf('/', endOf(image, '@')) + 1)
  return name.slice(0, Math.min(endOf(name, '@'), endOf(name, ':')))
}

function endOf(text: string, mark: string): number {
  const at = text.indexOf(mark)
  return at < 0 ? text.length : at
}
