/** Another value for a field. */
export interface FieldValue {
  /** Undefined: the field is left out. */
  readonly value: unknown
  /**
   * `plain`: its schema says that it means something. `guess`: only its form is known, an operator may refuse it. `bad`: nothing can
   * satisfy it, or the API server refuses it; what follows is taking it back.
   */
  readonly sort: 'plain' | 'guess' | 'bad'
}
