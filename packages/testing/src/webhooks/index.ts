export { signWebhook, type WebhookHeaders } from './signWebhook.ts'
export { type WebhookEventOverrides, webhookEvent } from './webhookEvent.ts'
export { type WebhookRequest, webhookRequest } from './webhookRequest.ts'
