import { runAgent } from './runAgent.ts'

export default {
  async fetch(request: Request): Promise<Response> {
    await runAgent(new URL(request.url).searchParams.get('control') ?? '')
    return new Response('done')
  },
}
