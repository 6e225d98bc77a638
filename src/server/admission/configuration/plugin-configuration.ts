import { ConfigurationFileError, decodeConfigurationFile } from '../../../machinery/configuration-file.ts'
import type { GoStruct } from '../../../machinery/go/go-type.ts'
import type { JsonObject } from '../../../machinery/object.ts'

/** An invalid plugin configuration; the message is upstream's. */
export class PluginConfigurationError extends Error {
  override readonly name = 'PluginConfigurationError'
  /** `unusable`: it was parsed, but the plugin cannot start with it. */
  readonly code: 'invalid' | 'unusable'
  constructor(message: string, { cause, code = 'invalid' }: { cause?: unknown; code?: PluginConfigurationError['code'] } = {}) {
    super(message, { cause })
    this.code = code
  }
}

export interface PluginKind {
  readonly group: string
  readonly versions: readonly string[]
  readonly kind: string
  /** The type of a version, whose name appears in errors. */
  readonly type: (version: string) => GoStruct
  readonly strict: boolean
}

/** Parses a plugin's configuration in any of its versions. @throws {PluginConfigurationError} */
export function decodePluginConfiguration(text: string, { group, versions, kind, type, strict }: PluginKind): JsonObject {
  const types = Object.fromEntries(versions.map((version) => [`${group}/${version} ${kind}`, type(version)]))
  try {
    return decodeConfigurationFile(text, { types, strict }).value
  } catch (error) {
    throw error instanceof ConfigurationFileError ? new PluginConfigurationError(error.message, { cause: error }) : error
  }
}
