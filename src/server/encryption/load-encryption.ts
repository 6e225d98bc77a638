import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { messageOf } from '../../base/message-of.ts'
import { ConfigurationFileError } from '../../machinery/configuration-file.ts'
import { faultText, goQuote } from '../../machinery/field-error.ts'
import { joinErrors } from '../../machinery/join-errors.ts'
import { goFileError } from '../option-file.ts'
import { decodeEncryptionConfiguration, type EncryptionConfiguration, UnexpectedKindError } from './encryption-configuration.ts'
import { validateEncryptionConfiguration } from './validate-configuration.ts'

/** A configuration that cannot be used; the message is kube-apiserver's. */
export class EncryptionConfigurationError extends Error {
  override readonly name = 'EncryptionConfigurationError'
  readonly code = 'invalid'
}

/** The content of a file, and its hash, by which a change is noticed. */
export interface EncryptionFile {
  readonly text: string
  readonly hash: string
}

/** @throws {EncryptionConfigurationError} */
export function readEncryptionFile(file: string): EncryptionFile {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (cause) {
    const why = `error reading encryption provider configuration file ${goQuote(file)}: ${goFileError(cause, file)}`
    throw parsing(`error while loading file: ${why}`, cause)
  }
  if (bytes.length === 0) throw parsing(`error while loading file: encryption provider configuration file ${goQuote(file)} is empty`)
  return { text: bytes.toString(), hash: `sha256:${createHash('sha256').update(bytes).digest('hex')}` }
}

/** The configuration of a file, validated. `reloads`: the file is followed. @throws {EncryptionConfigurationError} */
export function parseEncryptionFile(file: string, text: string, reloads: boolean): EncryptionConfiguration {
  const configuration = decode(file, text)
  const faults = validateEncryptionConfiguration(configuration, reloads)
  if (faults.length > 0) throw parsing(joinErrors(faults.map(faultText)))
  return configuration
}

function decode(file: string, text: string): EncryptionConfiguration {
  try {
    return decodeEncryptionConfiguration(text)
  } catch (cause) {
    if (cause instanceof UnexpectedKindError) throw parsing(cause.message, cause)
    if (!(cause instanceof ConfigurationFileError)) throw cause
    throw parsing(`error decoding encryption provider configuration file ${goQuote(file)}: ${messageOf(cause)}`, cause)
  }
}

const parsing = (why: string, cause?: unknown) => new EncryptionConfigurationError(`error while parsing file: ${why}`, { cause })
