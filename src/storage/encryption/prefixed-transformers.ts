import { messageOf } from '../../base/message-of.ts'
import { startsWith, TransformError, type ValueTransformer } from './value-transformer.ts'

/** A transformer, and the text before the values that it wrote; empty: they are not marked. */
export interface PrefixedTransformer {
  readonly prefix: string
  readonly transformer: ValueTransformer
}

/** A transformation that was done or, with an `error`, failed. */
export interface Transformation {
  readonly type: 'from_storage' | 'to_storage'
  /** `unknown`: a value that no transformer was found for. */
  readonly prefix: string
  readonly startedAtMs: number
  readonly error?: unknown
}

/** Counts and times transformations. */
export interface TransformRecorder {
  now(): number
  record(transformation: Transformation): void
}

export interface PrefixedTransformersInit {
  /** The first one writes; each reads what has its prefix, in this order. */
  readonly transformers: readonly [PrefixedTransformer, ...PrefixedTransformer[]]
  /** The message for a value that has none of the prefixes. */
  readonly unmatched: string
  readonly recorder?: TransformRecorder
}

/**
 * Several transformers, each with its prefix. Two may have the same prefix while a key is rotated: a value that one of them cannot read
 * is given to the next.
 */
export function prefixedTransformers({ transformers, unmatched, recorder }: PrefixedTransformersInit): ValueTransformer {
  const known = transformers.map(({ prefix, transformer }) => ({ prefix, bytes: Buffer.from(prefix), transformer }))
  const writer = { ...transformers[0], bytes: Buffer.from(transformers[0].prefix) }
  const measured = (type: Transformation['type']) => {
    const startedAtMs = recorder?.now() ?? 0
    return (prefix: string, error?: unknown) => recorder?.record({ type, prefix, startedAtMs, error })
  }
  return {
    toStorage(value, key) {
      const done = measured('to_storage')
      try {
        const stored = writer.transformer.toStorage(value, key)
        done(writer.prefix)
        return writer.bytes.length === 0 ? stored : Buffer.concat([writer.bytes, stored])
      } catch (error) {
        done(writer.prefix, error)
        throw error
      }
    },
    async fromStorage(stored, key) {
      const done = measured('from_storage')
      const errors: unknown[] = []
      for (const [i, { prefix, bytes, transformer }] of known.entries()) {
        if (!startsWith(stored, bytes)) continue
        try {
          const { value, stale } = await transformer.fromStorage(stored.subarray(bytes.length), key)
          done(prefix === '' ? 'identity' : prefix)
          return { value, stale: stale || i > 0 }
        } catch (error) {
          // Without a prefix it was only asked whether the value is plain.
          if (prefix === '') continue
          done(prefix, error)
          errors.push(error)
        }
      }
      if (errors.length > 0) throw joined(errors)
      const error = new TransformError(unmatched)
      done('unknown', error)
      throw error
    },
  }
}

/** Several failures in one message, as Go's aggregate shows them: without duplicates, in brackets. */
function joined(errors: readonly unknown[]): unknown {
  const messages = new Set(errors.map(messageOf))
  if (messages.size === 1) return errors[0]
  return new TransformError(`[${[...messages].join(', ')}]`, { cause: new AggregateError(errors) })
}
