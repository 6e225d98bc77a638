import type { MatchCondition } from '../webhook/match-conditions.ts'

export type AuthorizerType = 'ABAC' | 'AlwaysAllow' | 'AlwaysDeny' | 'Node' | 'RBAC' | 'Webhook'

/** Every type, in the order in which errors name them. */
export const AUTHORIZER_TYPES: readonly AuthorizerType[] = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook']

export interface WebhookConfiguration {
  readonly version: 'v1' | 'v1beta1'
  readonly authorizedTtlMs: number
  readonly unauthorizedTtlMs: number
  readonly timeoutMs: number
  readonly onFailure: 'no-opinion' | 'deny'
  /** Undefined: in-cluster configuration. */
  readonly kubeConfigFile: string | undefined
  readonly conditions: readonly MatchCondition[]
}

/** One authorizer of the chain. */
export type AuthorizerConfiguration =
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookConfiguration }
  | { readonly type: Exclude<AuthorizerType, 'Webhook'>; readonly name: string }

/** The complete chain of authorizers: with defaults and compiled conditions. */
export type AuthorizationConfiguration = readonly AuthorizerConfiguration[]

/** An invalid chain; the message is the one with which kube-apiserver exits. */
export class AuthorizationConfigurationError extends Error {
  override readonly name = 'AuthorizationConfigurationError'
  readonly code = 'invalid'
}
