import { ENCRYPTED_PREFIX, startsWith, TransformError, type ValueTransformer } from './value-transformer.ts'

/** Stores values as they are; refuses to read encrypted ones. */
export const identity: ValueTransformer = {
  toStorage: (value) => value,
  async fromStorage(stored) {
    if (startsWith(stored, ENCRYPTED_PREFIX)) throw new TransformError('identity transformer tried to read encrypted data')
    return { value: stored, stale: false }
  },
}
