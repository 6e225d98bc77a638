/** The values of options. Each function checks the text of an option, so that a command begins with values that can be used. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { InvalidArgumentError } from 'commander'

/** Longer values are no names, paths or URLs of a person. */
const MAX_LENGTH = 4096
/** Errors show longer values by their beginning. */
const MAX_SHOWN = 60

/** A value as an error shows it. */
export const shownValue = (value: string): string => JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)

/** A name, an address or the like, which the command itself checks. */
export function word(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('is empty')
  if (text.length > MAX_LENGTH) throw new InvalidArgumentError(`is longer than ${MAX_LENGTH} characters`)
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError('has control characters')
  return text
}

/** A number that counts. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) throw new InvalidArgumentError(`is not a whole number from ${least} to ${most}`)
    return value
  }
}

/** An earlier version of Kubernetes, `1.20`: its minor version. */
export function kubernetesAge(text: string): number {
  const minor = Number(/^v?1\.(\d+)$/.exec(text)?.[1])
  if (!(minor >= 16 && minor <= 35)) throw new InvalidArgumentError('is not an earlier version of Kubernetes, from 1.16 to 1.35')
  return minor
}

/** A TCP port; 0 is any free one. */
export const portNumber: (text: string) => number = wholeNumber(0, 65_535)

/** A time that a person waits, in seconds. */
export function seconds(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (!(value > 0 && value <= 3600)) throw new InvalidArgumentError('is not a number of seconds, more than 0 and at most 3600')
  return value
}

/** The value of an option that can be turned off. */
export function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('is neither true nor false')
  return text === 'true'
}

/** A file to read. */
export function existingFile(text: string): string {
  const stats = statOf(word(text))
  if (stats === undefined) throw new InvalidArgumentError('does not exist: name a file')
  if (stats.isDirectory()) throw new InvalidArgumentError('is a folder: name a file')
  return text
}

/** A file or a folder to read. */
export function existingPath(text: string): string {
  if (statOf(word(text)) === undefined) throw new InvalidArgumentError('does not exist: name a file or a folder')
  return text
}

/** A file to write, in a folder that exists. */
export function writableFile(text: string): string {
  const folder = path.dirname(path.resolve(word(text)))
  if (statOf(text)?.isDirectory() === true) throw new InvalidArgumentError('is a folder: name a file')
  if (statOf(folder)?.isDirectory() !== true) throw new InvalidArgumentError(`cannot be written: there is no folder ${folder}`)
  return text
}

/** A folder, which is created if it does not exist. */
export function newFolder(text: string): string {
  const file = nearest(path.resolve(word(text)))
  if (statOf(file)?.isDirectory() !== true) throw new InvalidArgumentError(`cannot be a folder: ${file} is a file`)
  return text
}

/** An http or https URL. */
export function url(text: string): string {
  if (!/^https?:$/.test(URL.canParse(word(text)) ? new URL(text).protocol : ''))
    throw new InvalidArgumentError('is no URL such as https://example.com/pods.yaml')
  return text
}

/** The address of a container runtime. */
export function unixSocket(text: string): string {
  if (!/^unix:\/\/\/[^/]/.test(word(text))) throw new InvalidArgumentError('is no address such as unix:///run/containerd/containerd.sock')
  return text
}

/** One of these words. */
export function oneOf(...words: readonly string[]): (text: string) => string {
  return (text) => {
    if (!words.includes(text)) throw new InvalidArgumentError(`is none of ${words.join(', ')}`)
    return text
  }
}

/** This word, or what `read` takes. */
export const orWord =
  (special: string, read: (text: string) => string) =>
  (text: string): string =>
    text === special ? text : read(text)

/** An option that may be given several times. */
export const several =
  <T>(read: (text: string) => T) =>
  (text: string, before: readonly T[] = []): readonly T[] => [...before, read(text)]

/** The path itself, or the folder above it that exists. */
function nearest(file: string): string {
  const above = path.dirname(file)
  return statOf(file) !== undefined || above === file ? file : nearest(above)
}

/** Undefined: there is none, or this user may not know. */
function statOf(file: string) {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}
