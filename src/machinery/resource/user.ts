/** The user of a request: `authentication.k8s.io/v1 UserInfo`. */
export interface UserInfo {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
  /**
   * Of a caller in process: the program that calls as this user, as others say in their user agent. Undefined: the user's name stands for
   * it.
   */
  readonly program?: string
}

/** What a caller in process has for a user agent. */
export const programOf = ({ name, program = name }: UserInfo): string => program

export const SYSTEM_MASTERS = 'system:masters'
export const SYSTEM_AUTHENTICATED = 'system:authenticated'
export const SYSTEM_UNAUTHENTICATED = 'system:unauthenticated'
export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [SYSTEM_UNAUTHENTICATED] }
