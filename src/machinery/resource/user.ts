/** The user of a request: `authentication.k8s.io/v1 UserInfo`. */
export interface UserInfo {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export const SYSTEM_MASTERS = 'system:masters'
export const SYSTEM_AUTHENTICATED = 'system:authenticated'
export const SYSTEM_UNAUTHENTICATED = 'system:unauthenticated'
export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [SYSTEM_UNAUTHENTICATED] }
