import type { Review } from '../../../apiserver/extension-points.ts'
import { TokenError } from '../../../apiserver/identity/authenticator.ts'
import { timestamp } from '../../../base/clock.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import { badRequest } from '../../../machinery/status-error.ts'
import type { TokenReview } from '../../../resources/types/authentication.ts'
import type { TokenUnion } from '../create-authenticator.ts'

/** SelfSubjectReview: the requesting user. */
export const selfSubjectReview: Review = ({ input, user }, { clock }) => ({
  apiVersion: input.apiVersion,
  kind: input.kind,
  metadata: { creationTimestamp: timestamp(clock.now()) },
  status: { userInfo: userJson(user) },
})

/** TokenReview: the user of a token. */
export function tokenReview(tokens: TokenUnion): Review<TokenReview> {
  return async ({ input }) => {
    const token = input.spec?.token ?? ''
    if (token === '') throw badRequest('token is required for TokenReview in authentication')
    const wanted = input.spec?.audiences ?? []
    try {
      const { user, audiences } = await tokens.authenticateToken(token, wanted.length === 0 ? undefined : wanted)
      // Only what the authenticators say is replaced in the status of the request.
      const { error } = input.status ?? {}
      return {
        ...input,
        status: {
          authenticated: true,
          user: userJson(user),
          ...(audiences.length === 0 ? {} : { audiences: [...audiences] }),
          ...(error === undefined ? {} : { error }),
        },
      }
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      const { authenticated: _, ...given } = input.status ?? {}
      return { ...input, status: { user: {}, ...given, error: error.message } }
    }
  }
}

function userJson(user: UserInfo): JsonObject {
  const extra: JsonObject = {}
  for (const key of Object.keys(user.extra ?? {}).sort()) extra[key] = [...(user.extra?.[key] ?? [])]
  return {
    ...(user.name === '' ? {} : { username: user.name }),
    ...(user.uid ? { uid: user.uid } : {}),
    ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
}
