/**
 * A mistake in the definition of an operator, or the end of its work. - `bad-definition`: two parts have one name, or a name or number is
 * invalid. - `not-owned`: a child is of a kind that the controller does not own, or belongs to another owner. - `leadership-lost`: another
 * process may lead now.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly code: 'bad-definition' | 'not-owned' | 'leadership-lost'
  constructor(code: OperatorError['code'], message: string) {
    super(message)
    this.code = code
  }
}
