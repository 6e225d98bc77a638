import path from 'node:path'

/**
 * An image whose program is one of this machine: each of its containers is a process of the user who started the cluster
 * (docs/process-runtime.md says what isolates it).
 */
export interface ProcessImage {
  /**
   * The program: a path of this machine or a name in `PATH`, and words that always come first (`['node', 'dist/manager.js']`). No manifest
   * can name another one.
   */
  readonly command: string | readonly string[]
  /** The words after that when the manifest gives no `args`. */
  readonly args?: readonly string[]
  /** Variables beside those of the container; nothing else of this machine's environment is passed on but `PATH`. */
  readonly environment?: Readonly<Record<string, string>>
  /** A folder of this machine, unless the manifest names a `workingDir`. Default: where the cluster was started. */
  readonly workingDir?: string
  /** The signal that stops it, unless the pod names one. Default `SIGTERM`. */
  readonly stopSignal?: string
}

export const isProcessImage = (image: unknown): image is ProcessImage => typeof image === 'object' && image !== null && 'command' in image

/** Whether all images are processes: such a table is plain data, which can be sent to another process. */
export const areProcesses = (images: object): images is Readonly<Record<string, ProcessImage>> =>
  Object.values(images).every(isProcessImage)

/** The program and its first words. */
export const wordsOf = ({ command }: ProcessImage): readonly string[] => (typeof command === 'string' ? [command] : command)

/** How manifests and commands call its program. */
export const nameOf = (image: ProcessImage): string => path.basename(wordsOf(image)[0] ?? '')

/** What is wrong with it, if anything. */
export function processImageFault(image: ProcessImage): string | undefined {
  const { command, args = [], environment = {}, workingDir } = image
  const words: readonly unknown[] = typeof command === 'string' ? [command] : Array.isArray(command) ? command : []
  const isText = (value: unknown) => typeof value === 'string' && !value.includes('\0')
  if (words.length === 0 || words[0] === '' || !words.every(isText)) return '"command" has to be the path of a program, or a list of words'
  if (!Array.isArray(args) || !args.every(isText)) return '"args" has to be a list of words'
  if (typeof environment !== 'object' || !Object.values(environment).every(isText)) return '"environment" has to be a map of texts'
  return workingDir === undefined || isText(workingDir) ? undefined : '"workingDir" has to be a folder'
}
