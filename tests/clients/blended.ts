import type { Client } from "openapi-fetch";
import type { paths } from "./permillion.js";

export async function lastFigure(client: Client<paths, "application/json" | "application/problem+json">): Promise<string | null> {
  const answer = await client.POST("/blended-price", {
    body: { rows: [{ offer: "openai/gpt-6-sol" }], mix: "3:1", as_of: "2026-11-30T12:00:00Z" },
  });
  if (answer.error) throw new Error(JSON.stringify(answer.error));
  return answer.data.rows[0]?.blended_price_per_mtok ?? null;
}
