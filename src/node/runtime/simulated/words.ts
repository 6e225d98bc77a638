import type { ContainerSpec } from '../container-spec.ts'

/** Images that start whatever they are given, and a shell when they are given nothing: their last name → that shell. */
const BARE_IMAGES: ReadonlyMap<string, string> = new Map([
  ...['busybox', 'alpine', 'debian', 'ubuntu', 'jessie-dnsutils', 'dnsutils'].map((name) => [name, 'sh'] as const),
  ...['bash', 'centos', 'fedora', 'rockylinux', 'almalinux', 'oraclelinux', 'amazonlinux', 'ubi', 'ubi-minimal', 'netshoot'].map(
    (name) => [name, 'bash'] as const,
  ),
])

/** Images made to run one program: what is neither a shell nor that program is arguments of it. */
const TOOL_IMAGES: ReadonlyMap<string, string> = new Map([['curl', 'curl']])

const SHELLS = new Set(['sh', 'bash', 'ash', 'dash'])

/**
 * What a container's main process is called with, as far as manifest and image tell; empty: only the image knows. Nobody has looked into
 * the images of simulated nodes, but everybody knows what base images do with arguments, and an entrypoint that is handed a shell runs
 * it.
 */
export function wordsOf({ command, args, image, stdin }: Pick<ContainerSpec, 'command' | 'args' | 'image' | 'stdin'>): readonly string[] {
  if (command.length > 0) return [...command, ...args]
  const name = lastName(image)
  const [first] = args
  if (first === undefined) {
    // Without anybody at its standard input such a shell would end at once: whoever makes a pod of a base image alone wants one that stays.
    const shell = BARE_IMAGES.get(name)
    return shell !== undefined && stdin ? [shell] : []
  }
  const word = first.slice(first.lastIndexOf('/') + 1)
  if (SHELLS.has(word) || BARE_IMAGES.has(name)) return args
  const tool = TOOL_IMAGES.get(name)
  if (tool === undefined) return []
  return word === tool ? args : [tool, ...args]
}

/** Whether everybody knows what files an image has. */
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
