import { cloneJson, type Json } from '../../machinery/object.ts'
import type { SchemaProps, ValidationRule } from '../../machinery/structural/schema-props.ts'

/** Whether a field must be given, may be left out, or is filled in by the API server where it was left out. */
export type Presence = 'required' | 'optional' | 'defaulted'

/** A rule in CEL: `self` is the value, `oldSelf` the value before an update. */
export interface CelRule {
  /** `self.minReplicas <= self.maxReplicas` */
  readonly rule: string
  /** The message of a violation. Default: the rule itself. */
  readonly message?: string
  /** The same, computed in CEL. */
  readonly messageExpression?: string
  /** The field that is to blame, relative to the value: `.spec.replicas`. */
  readonly fieldPath?: string
  /** Why, for programs. Default `FieldValueInvalid`. */
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
}

/** Holds the two types of a schema for the compiler; never there at run time. */
declare const types: unique symbol

/**
 * A structural schema with the TypeScript type of its values. `Read`: the type of objects that are read, with defaults; `Written`: the type
 * of objects that are written. Values are immutable: each method returns a new one.
 */
export class Schema<Read, Written = Read, P extends Presence = 'required'> {
  declare readonly [types]: { readonly read: Read; readonly written: Written }
  /** The schema as a CustomResourceDefinition has it. */
  readonly props: Readonly<SchemaProps>
  readonly presence: P

  constructor(props: Readonly<SchemaProps>, presence: P) {
    this.props = props
    this.presence = presence
  }

  /** The field may be left out. */
  optional(): Schema<Read, Written, 'optional'> {
    return new Schema(this.props, 'optional')
  }

  /** The API server fills this in where the field was left out (not where its parent was: give that one a default too). */
  default(value: Written): Schema<Read, Written, 'defaulted'> {
    // A value of the schema's own type is JSON: the builders know no other types.
    return new Schema({ ...this.props, default: cloneJson(value) as Json }, 'defaulted')
  }

  /** The value may be null. */
  nullable(): Schema<Read | null, Written | null, P> {
    return new Schema({ ...this.props, nullable: true }, this.presence)
  }

  /** What `kubectl explain` and editors show. */
  describe(description: string): Schema<Read, Written, P> {
    return new Schema({ ...this.props, description }, this.presence)
  }

  /** A rule that every value has to keep, checked by the API server. Several are checked all. */
  rule(rule: CelRule): Schema<Read, Written, P> {
    const rules: ValidationRule[] = [...(this.props['x-kubernetes-validations'] ?? []), { ...rule }]
    return new Schema({ ...this.props, 'x-kubernetes-validations': rules }, this.presence)
  }

  /** Once it is set it stays as it is. */
  immutable(message = 'is immutable'): Schema<Read, Written, P> {
    return this.rule({ rule: 'self == oldSelf', message })
  }
}

/** Any schema, whatever it describes. */
export type AnySchema = Schema<unknown, unknown, Presence>

/** The type of what a schema describes, as the API server gives it. */
export type ReadOf<S> = S extends Schema<infer Read, infer _W, infer _P> ? Read : never

/** The type of what a schema describes, as it may be written: what has a default may be left out. */
export type WrittenOf<S> = S extends Schema<infer _R, infer Written, infer _P> ? Written : never
