// Generated from lua/ by `node scripts/generate-scripts.mjs`: change the Lua, not this file.
import { integer, integerOrNull, text } from './replies.js';
import type { Script } from './script.js';

const libAheadMs = `local function ahead_ms(left_ms,window_ms)
left_ms,window_ms=tonumber(left_ms),tonumber(window_ms)
if not window_ms then
return left_ms
end
local soon_ms=math.max(50,window_ms)
return left_ms<0 and soon_ms or math.min(left_ms,soon_ms)
end
`;

const libChecked = `local function checked(keys,types,run)
local is_done,reply=pcall(run)
local raised=type(reply)=='table' and reply.err or not is_done and reply
if not raised then
return reply
end
local text=string.match(raised,'^@?user_script: ?%d+: %-?(.*)') or raised
if not string.find(text,'WRONGTYPE',1,true) then
return is_done and reply
or redis.error_reply(string.find(text,'^%u+ ') and text or 'ERR ' .. text)
end
local known,what=string.match(text,'WRONGTYPE in (.*)\\n(.*)')
local expected={ s='string',h='hash',l='list',z='zset' }
for i,key in ipairs(keys) do
local found=key==known and what
local is=not known and redis.pcall('TYPE',key).ok
local letter=string.sub(types,i,i)
local declared=expected[letter=='' and string.sub(types,-1) or letter]
if is and is~='none' and declared and is~=declared then
found=is=='hash' and hash_found(redis.call('HRANDFIELD',key)) or 'a ' .. is
end
if found then
return redis.error_reply('WRONGTYPE key ' .. i .. ' holds ' .. found)
end
end
return redis.error_reply(string.match(text,'WRONGTYPE.*'))
end
`;

const libClientsOfHolders = `local function clients_of_holders(fields)
local clients={}
for i=1,#fields,2 do
if string.sub(fields[i],36+1,36+1)==':' then
clients[#clients+1]=string.sub(fields[i],1,36)
end
end
return clients
end
`;

const libEndsAgain = `local function ends_again(readers,now)
local last=redis.call('ZREVRANGE',readers,0,1000 - 1,'WITHSCORES')
redis.call('ZREM',readers,'')
for i=1,#last,2 do
local score=tonumber(last[i+1])
local left_ms,is_ahead=ends_left(score,now)
if is_ahead then
local ends_at=now+left_ms+score - math.floor(score)
redis.call('ZADD',readers,string.format('%.4f',ends_at),last[i])
end
end
end
`;

const libEndsLeft = `local function ends_left(score,now)
local ends_at=math.floor(score)
local steps=math.floor((score - ends_at)*2048+0.5)
local length_ms=steps>0 and math.ceil(2 ^ (steps/32)) or math.huge
local left_ms=ends_at - now
return math.min(left_ms,length_ms),left_ms>length_ms
end
`;

const libEndsScore = `local function ends_score(now,lease_ms)
local steps=math.min(math.ceil(32*math.log(lease_ms)/math.log(2))+1,2048 - 1)
return string.format('%.4f',now+lease_ms+steps/2048)
end
`;

const libFairBefore = `local function fair_before(lock,queue,at)
if at~=0 then
local before=redis.call('LINDEX',queue,at - 1)
if before then
return before
end
end
return sole_holder(lock)
end
`;

const libFairCloseUp = `local function fair_close_up(queue,timeouts,heartbeats,holder,at,now)
local scores={}
local function is_java(member)
return member
and redis.call('ZSCORE',heartbeats,string.sub(member,1,36))==false
end
local score=redis.call('ZSCORE',timeouts,holder)
if not score or not is_java(redis.call('LINDEX',queue,at+1)) then
return scores
end
local before=at>0 and redis.call('ZSCORE',timeouts,redis.call('LINDEX',queue,at - 1))
local moved=(before or now) - score
for _,member in ipairs(redis.call('LRANGE',queue,at+1,at+100)) do
if not is_java(member) then
break
end
local own=redis.call('ZSCORE',timeouts,member)
if own then
scores[#scores+1]=own+moved
scores[#scores+1]=member
end
end
return scores
end
`;

const libFairEnterQueue = `local function fair_enter_queue(queue,timeouts,heartbeats,holder,to_front,now)
local client=string.sub(holder,1,36)
local heartbeat=heard_at(heartbeats,client,now)
local is_due=not heartbeat or now - heartbeat>=500
local has_entry=redis.call('ZSCORE',timeouts,holder)~=false
if has_entry and not is_due then
return
end
local length=redis.call('LLEN',queue)
local is_damaged=length~=redis.call('ZCARD',timeouts)
is_due=is_due or is_damaged
local heard=is_due and now or heartbeat
zadd_for(heartbeats,600000,heard,client)
local counted
if is_due then
local found
counted,found=fair_score_queue(queue,timeouts,heartbeats,holder,heartbeat,now)
if length<=100 or is_damaged then
has_entry=found or length>100 and redis.call('LPOS',queue,holder)~=false
end
end
local last_score
if has_entry or to_front then
local last=redis.call('LINDEX',queue,-1)
last_score=last and redis.call('ZSCORE',timeouts,last) or 0
else
last_score=fair_score_at_end(queue,timeouts,heartbeats,holder,length,counted,heard,now)
end
if not has_entry then
redis.call('ZREMRANGEBYSCORE',heartbeats,0,now - 86400000)
if to_front then
redis.call('LPUSH',queue,holder)
else
redis.call('RPUSH',queue,holder)
end
redis.call('ZADD',timeouts,to_front and heard+5000 or last_score,holder)
end
local ttl=math.max(last_score - now,0)+600000
redis.call('PEXPIRE',queue,ttl)
redis.call('PEXPIRE',timeouts,ttl)
redis.call('PEXPIRE',heartbeats,ttl)
end
`;

const libFairFirst = `local function fair_first(lock,queue,timeouts,heartbeats,tickets,now,publish)
local can_take,at,removed,id,window_ms,left={},0,0,nil,nil,0
local function remove(entry)
if removed==0 then
redis.call('ZREM',timeouts,'')
redis.call('HDEL',tickets,'')
end
redis.call('LREM',queue,1,entry)
redis.call('ZREM',timeouts,entry)
redis.call('HDEL',tickets,entry,'told')
removed=removed+1
end
while true do
id=redis.call('LINDEX',queue,at)
if not id or at==1000 or removed>100 then
left,id=id and (removed>100 and 0 or 250) or nil,nil
break
end
local client=string.sub(id,1,36)
local heartbeat=heard_at(heartbeats,client,now)
local absent_at=heartbeat and heartbeat+4000 or redis.call('ZSCORE',timeouts,id) or 0
left=math.max(absent_at - now,0)
local ticket=heartbeat and redis.call('HGET',tickets,id)
if left==0 then
remove(id)
elseif not ticket then
for _=1,at do
remove(redis.call('LINDEX',queue,0))
end
break
else
local wanted_ms,is_seen=string.match(ticket,'^(%d+) (%d)$')
if can_take[client]==nil then
can_take[client]=own_listeners(id,lock,publish)>0
or is_seen=='0' and now - heartbeat<=1000
end
if can_take[client] then
window_ms=wanted_ms
break
end
at=at+1
end
end
if removed>0 then
fair_settle_queue(queue,timeouts,heartbeats)
end
return id,window_ms,left,at
end
`;

const libFairGrant = `local function fair_grant(
lock,
queue,
timeouts,
heartbeats,
tickets,
now,
id,
window_ms,
at,
publish
)
local client,followers=string.sub(id,1,36),0
local is_behind=redis.call('LINDEX',queue,at+1)
if is_behind and string.sub(is_behind,1,36)==client then
for _,entry in ipairs(redis.call('LRANGE',queue,at+1,at+15)) do
if string.sub(entry,1,36)~=client then
break
end
followers=followers+1
end
end
local is_leased=redis.call('PEXPIRE',lock,window_ms)==1
redis.call('HSET',tickets,id,redis.call('HGET',tickets,id))
fair_leave_queue(queue,timeouts,heartbeats,tickets,id,now)
redis.call('HSET',lock,id,1)
if not is_leased then
redis.call('PEXPIRE',lock,window_ms)
end
local message=string.format('f%s %.0f %s %.0f %s',id,now,window_ms,followers,lock)
return own_channel(id,lock,publish),message
end
`;

const libFairHandsOn = `local function fair_hands_on(lock,tickets,before,holder,publish)
return string.sub(before,1,36)==string.sub(holder,1,36)
or redis.call('HEXISTS',tickets,before)==1
or own_listeners(before,lock,publish)>0
end
`;

const libFairLeaveQueue = `local function fair_leave_queue(queue,timeouts,heartbeats,tickets,holder,now)
redis.call('ZREM',timeouts,'')
redis.call('HDEL',tickets,'')
local at=redis.call('LINDEX',queue,0)==holder and 0 or redis.call('LPOS',queue,holder)
local behind=at and fair_close_up(queue,timeouts,heartbeats,holder,at,now) or {}
if #behind>0 then
redis.call('ZADD',timeouts,unpack(behind))
end
if at==0 and redis.call('LLEN',queue)==1 then
redis.call('LREM',queue,1,'')
redis.call('DEL',heartbeats)
end
redis.call('LREM',queue,1,holder)
redis.call('ZREM',timeouts,holder)
redis.call('HDEL',tickets,holder,'told')
fair_settle_queue(queue,timeouts,heartbeats)
end
`;

const libFairPutTicket = `local function fair_put_ticket(lock,tickets,holder,window_ms,publish)
local is_seen=own_listeners(holder,lock,publish)>0 and '1' or '0'
local is_there=redis.call('PEXPIRE',tickets,600000)==1
redis.call('HSET',tickets,holder,window_ms .. ' ' .. is_seen)
if not is_there then
redis.call('PEXPIRE',tickets,600000)
end
return is_seen
end
`;

const libFairQueueRefusal = `local function fair_queue_refusal(lock,queue,now,twin_heartbeats)
local last=twin_heartbeats and heard_last(twin_heartbeats,now)
if last and now - last<4000 then
local twin=string.match(lock,'^{(.*)}$') or '{' .. lock .. '}'
return redis.error_reply('WRONGTYPE the name shares ' .. queue .. ' with ' .. twin)
end
end
`;

const libFairScoreAtEnd = `local function fair_score_at_end(queue,timeouts,heartbeats,holder,length,counted,heard,now)
local least=now+5000
local last=redis.call('LINDEX',queue,-1)
local score=last and redis.call('ZSCORE',timeouts,last)
local last_heard=last and heard_at(heartbeats,string.sub(last,1,36),now)
local enough
if score and last_heard then
enough=score+now - last_heard
elseif length>=100 then
enough=(score or now)+5000
else
enough=counted or fair_score_queue(queue,timeouts,heartbeats,holder,heard,now)
end
if length>=100 then
enough=math.max(enough,least+300000)
end
return math.max(least,enough) - (now - heard)
end
`;

const libFairScoreQueue = `local function fair_score_queue(queue,timeouts,heartbeats,holder,last_heard,now)
local client=string.sub(holder,1,36)
local heard={ [client]=last_heard or now }
local enough,before,moved,is_behind_java=now+5000,nil,0,false
local scores,found={},false
for _,member in ipairs(redis.call('LRANGE',queue,0,99)) do
local owner=string.sub(member,1,36)
if heard[owner]==nil then
heard[owner]=heard_at(heartbeats,owner,now)
end
local score=tonumber(redis.call('ZSCORE',timeouts,member) or before or now)
local next_score=score
if not heard[owner] then
local patience=math.max(score - (before or now),0)
if not before and patience>90000 then
patience=math.max(patience,300000)
end
enough=enough+patience
is_behind_java=true
next_score=score+moved
else
if is_behind_java then
enough=math.max(enough,score+now - heard[owner])
end
next_score=owner==client and enough or score
moved=next_score - score
end
if next_score~=score then
scores[#scores+1]=next_score
scores[#scores+1]=member
end
before=score
found=found or member==holder
end
if #scores>0 then
redis.call('ZADD',timeouts,unpack(scores))
end
return enough,found
end
`;

const libFairServe = `local function fair_serve(lock,queue,timeouts,heartbeats,tickets,publish,prefix)
if redis.call('EXISTS',queue)==0 then
return nil
end
local now=now_ms()
local id,window_ms,left,at
for _=1,10 do
id,window_ms,left,at=fair_first(lock,queue,timeouts,heartbeats,tickets,now,publish)
if id or left~=0 then
break
end
end
if not id then
return nil
end
if window_ms then
local channel,payload =
fair_grant(lock,queue,timeouts,heartbeats,tickets,now,id,window_ms,at,publish)
return { command=publish,channel=channel,payload=payload,is_granted=true }
end
return { command=publish,channel=prefix .. ':' .. id,payload='0' }
end
`;

const libFairSettleQueue = `local function fair_settle_queue(queue,timeouts,heartbeats)
local last=redis.call('LINDEX',queue,-1)
if not last then
redis.call('DEL',heartbeats)
elseif not redis.call('ZSCORE',heartbeats,string.sub(last,1,36)) then
redis.call('PERSIST',queue)
redis.call('PERSIST',timeouts)
end
end
`;

const libForeign = `local function foreign(key,found)
return { err='WRONGTYPE in ' .. key .. '\\n' .. found }
end
`;

const libGrantIsUnknown = `local function grant_is_unknown(key,record,is_deleted,client,mark,place)
local id,born,number=string.match(mark,'^(%d+):(%d+):(%d+)$')
if not record or not id then
return not is_deleted and id~=nil
end
return id==record.id
and tonumber(born)<=record.forgotten
and redis.call('HEXISTS',key,client .. ':' .. number .. ':' .. place)==0
end
`;

const libHashFound = `local function hash_found(field)
return 'a hash with the field \`' .. string.gsub(string.sub(field,1,60),'%c','?') .. '\`'
end
`;

const libHeardAgain = `local function heard_again(heartbeats,member,now)
local ahead=redis.call('ZRANGEBYSCORE',heartbeats,now+1,'+inf','LIMIT',0,1000)
local entries={ now,member }
for _,each in ipairs(ahead) do
entries[#entries+1]=now
entries[#entries+1]=each
end
redis.call('ZREM',heartbeats,'')
redis.call('ZADD',heartbeats,unpack(entries))
end
`;

const libHeardAt = `local function heard_at(heartbeats,member,now)
local heard=redis.call('ZSCORE',heartbeats,member)
if heard and tonumber(heard)>now then
heard_again(heartbeats,member,now)
return now
end
return heard and tonumber(heard)
end
`;

const libHeardLast = `local function heard_last(heartbeats,now)
local last=redis.call('ZREVRANGE',heartbeats,0,0,'WITHSCORES')
local heard=tonumber(last[2])
if heard and heard>now then
heard_again(heartbeats,last[1],now)
return now
end
return heard
end
`;

const libHeardTickets = `local function heard_tickets(tickets,now)
local fields=redis.call('HGETALL',tickets)
for i=1,#fields,2 do
local heard,terms=string.match(fields[i+1],'^(%d+)( %d+ %d %d)$')
if heard and tonumber(heard)>now then
fields[i+1]=string.format('%.0f',now) .. terms
needs_no_memory(tickets)
redis.call('HSET',tickets,fields[i],fields[i+1])
end
end
return fields
end
`;

const libIsHolder = `local function is_holder(field)
local client,number=string.match(field,'^([%x-]+):%-?(%d+)$')
if not client then
client,number=string.match(field,'^([%x-]+):%-?(%d+):')
end
return client
and #client==36
and #number<20
and string.find(client,'^%x+%-%x+%-%x+%-%x+%-%x+$')~=nil
end
`;

const libLatchCount = `local function latch_count(latch)
local count,wrong=stored_count(latch)
return math.max(count or 0,0),wrong
end
`;

const libLatchOpen = `local function latch_open(latch,opened)
local before=redis.call('GET',opened)
local mark=next_mark(before)
redis.call('SET',opened,mark,'PX',600000)
local removed=redis.pcall('DEL',latch)
if type(removed)=='table' then
redis.call('SET',opened,before or '','PX',600000)
return removed
end
return nil
end
`;

const libLeasesBringDown = `local function leases_bring_down(timeouts,leases,now)
local later=string.format('%.0f',(math.floor(now/1000)+1)*2097152)
local ahead =
redis.call('ZRANGEBYSCORE',leases,later,'+inf','WITHSCORES','LIMIT',0,1000)
if #ahead==0 then
return false,nil
end
local idle_ms=ahead[#ahead - 1]=='idle' and ahead[#ahead] - 9007197107257344 or nil
local permits={}
for i=1,#ahead - (idle_ms and 2 or 0),2 do
permits[#permits+1]=ahead[i]
end
if #permits==0 then
return false,idle_ms
end
local expiries,scores,gone={},{},{}
for i,end_text in ipairs(redis.call('ZMSCORE',timeouts,unpack(permits))) do
local length_ms=end_text and leases_length(tonumber(ahead[2*i]),tonumber(end_text))
if length_ms then
local n=#expiries
expiries[n+1],expiries[n+2]=string.format('%.0f',now+length_ms),permits[i]
scores[n+1],scores[n+2]=leases_score(now,now+length_ms),permits[i]
else
gone[#gone+1]=permits[i]
end
end
redis.call('ZREM',leases,'',unpack(gone))
if #expiries>0 then
redis.call('ZADD',timeouts,unpack(expiries))
redis.call('ZADD',leases,unpack(scores))
end
return #permits==1000,idle_ms
end
`;

const libLeasesForget = `local function leases_forget(timeouts,leases)
if redis.call('ZCARD',leases) - 1<=redis.call('ZCARD',timeouts) then
return
end
local permits=redis.call('ZRANGE',leases,0,1000 - 1)
local gone={}
for i,expiry in ipairs(redis.call('ZMSCORE',timeouts,unpack(permits))) do
if not expiry and permits[i]~='idle' and permits[i]~='total' then
gone[#gone+1]=permits[i]
end
end
if #gone>0 then
redis.call('ZREM',leases,unpack(gone))
end
end
`;

const libLeasesIdle = `local function leases_idle(leases)
local last=redis.call('ZRANGE',leases,-1,-1,'WITHSCORES')
return last[1]=='idle' and last[2] - 9007197107257344 or nil
end
`;

const libLeasesLength = `local function leases_length(score,expiry)
if score % 2097152==expiry % 2097152 then
return expiry - math.floor(score/2097152)*1000
end
end
`;

const libLeasesMissing = `local function leases_missing(leases,left,taken)
if taken>0 then
return 0,nil
end
local first=redis.call('ZRANGE',leases,0,0,'WITHSCORES')
local total=first[1]=='total' and -1 - first[2] or nil
if not total or total<=left then
return 0,total
end
local others=leases_idle(leases) and 2 or 1
return math.min(total - left,redis.call('ZCARD',leases) - others),total
end
`;

const libLeasesScore = `local function leases_score(now,expiry)
return string.format('%.0f',math.floor(now/1000)*2097152+expiry % 2097152)
end
`;

const libLeasesSetIdle = `local function leases_set_idle(leases,idle_ms)
zadd_for(leases,2592000000,string.format('%.0f',9007197107257344+idle_ms),'idle')
end
`;

const libLeasesSetTotal = `local function leases_set_total(leases,total,life_ms)
local score=string.format('%.0f',-1 - total)
if redis.call('ZSCORE',leases,'total')~=score then
zadd_for(leases,leases_ttl(life_ms),score,'total')
end
end
`;

const libLeasesTtl = `local function leases_ttl(life_ms)
return life_ms>0 and life_ms or 2592000000
end
`;

const libLeasesWrite = `local function leases_write(timeouts,leases,permit,now,lease_ms,life_ms)
local expiry=now+lease_ms
zadd_for(leases,leases_ttl(life_ms),leases_score(now,expiry),permit)
redis.call('ZADD',timeouts,string.format('%.0f',expiry),permit)
end
`;

const libLineBefore = `local function line_before(line,tickets,id)
local at=-1
if redis.call('LINDEX',line,-1)~=id then
at=redis.call('LPOS',line,id)
end
local before=at and at~=0 and redis.call('LINDEX',line,at - 1)
local ticket=before and redis.call('HGET',tickets,before)
return ticket and string.match(ticket,'^%d+ (%d+)')
end
`;

const libLineFirst = `local function line_first(lock,line,tickets,now,publish)
local at=0
while true do
local id=redis.call('LINDEX',line,at)
if not id then
return nil
end
local ticket=redis.call('HGET',tickets,id) or ''
local heard,window_ms,is_seen=string.match(ticket,'^(%d+) (%d+) (%d)')
if heard and tonumber(heard)>now then
heard_tickets(tickets,now)
heard=now
end
local silent_ms=heard and now - tonumber(heard)
if not heard then
redis.call('LREM',line,1,id)
elseif silent_ms>4000 then
line_leave(line,tickets,id)
elseif
is_seen=='1' and own_listeners(id,lock,publish)>0
or is_seen=='0' and silent_ms<=1000
then
return id,window_ms
else
at=at+1
end
end
end
`;

const libLineGrant = `local function line_grant(lock,line,tickets,token,now,id,window_ms,publish)
needs_no_memory(tickets)
local issued=token and token_issue(token,16) or '0'
if type(issued)=='table' then
return string.find(issued.err,'run this command',1,true) and issued or nil
end
redis.call('HDEL',tickets,id,'told')
redis.call('LREM',line,1,id)
if redis.call('EXISTS',line)==0 then
redis.call('PEXPIRE',tickets,1100)
end
local is_leased=redis.call('PEXPIRE',lock,window_ms)==1
redis.call('HSET',lock,id,1)
if not is_leased then
redis.call('PEXPIRE',lock,window_ms)
end
local message=string.format('g%s %.0f %s %s %s',id,now,window_ms,issued,lock)
return own_channel(id,lock,publish),message
end
`;

const libLineLeave = `local function line_leave(line,tickets,id)
if redis.call('HEXISTS',tickets,id)==1 then
redis.call('HDEL',tickets,id,'told')
redis.call('LREM',line,1,id)
if redis.call('EXISTS',line)==0 then
redis.call('PEXPIRE',tickets,1100)
end
end
end
`;

const libLinePut = `local function line_put(line,tickets,id,now,window_ms,is_seen,is_listening)
tickets_checked(tickets)
redis.call('LLEN',line)
local is_there=redis.call('PEXPIRE',tickets,60000)==1
local ticket=string.format('%.0f %s %.0f %s',now,window_ms,is_seen,is_listening)
local put=redis.pcall('HSET',tickets,id,ticket)
if put==1 then
put=redis.pcall('RPUSH',line,id)
if type(put)=='table' then
redis.pcall('HDEL',tickets,id)
end
end
if type(put)=='table' then
return string.find(put.err,'^OOM') and 2 or put
end
redis.call('PEXPIRE',line,60000)
if not is_there then
redis.call('PEXPIRE',tickets,60000)
end
return is_seen,not is_there
end
`;

const libLineReplace = `local function line_replace(line,tickets,old,new)
local ticket=redis.call('HGET',tickets,old)
if ticket then
local put=redis.pcall('HSET',tickets,new,ticket)
if put==1 and redis.call('LINSERT',line,'BEFORE',old,new)<1 then
redis.call('RPUSH',line,new)
end
if type(put)~='table' then
redis.call('LREM',line,1,old)
redis.call('HDEL',tickets,old)
end
end
end
`;

const libLineStandsBack = `local function line_stands_back(tickets,now)
local back=tonumber(redis.call('HGET',tickets,'back') or 0) - now
return back<=3 and math.max(0,back) or 0
end
`;

const libLineTurn = `local function line_turn(tickets,length,own,publish,channel,now)
local has_line=length>0
local strangers=(listeners(publish,channel)[2] or 0) - own
if not has_line and strangers<=0 then
return false
end
now=now or now_ms()
local turn=redis.call('HGET',tickets,'turn')
if not turn then
tickets_checked(tickets)
turn=string.format('%.0f 0 0',now)
end
local opened,last,grants=string.match(turn,'(%d+) (%d+) (%d+)')
opened,last,grants=tonumber(opened),tonumber(last),tonumber(grants)
local is_round_over=strangers>0 and grants>=length
if is_round_over then
local fields=heard_tickets(tickets,now)
for i=1,#fields,2 do
local heard=string.match(fields[i+1],'^(%d+) %d+ %d 1$')
local is_left=heard and not string.find(fields[i],':',1,true)
if is_left and now - tonumber(heard)>1100 then
redis.call('HDEL',tickets,fields[i])
elseif heard then
strangers=strangers - 1
end
end
end
if math.abs(now - last)>1000 or opened>now then
opened=now
end
local is_due=is_round_over and strangers>0 or has_line and now - opened>=1000
local is_short=not has_line and redis.call('PTTL',tickets)<1100
if is_short then
redis.call('PEXPIRE',tickets,1100)
end
if is_due then
opened,grants=now,-1
redis.pcall('HSET',tickets,'back',string.format('%.0f',now+3))
end
if strangers<=0 and math.abs(now - last)<1000/4 and not is_due then
return false
end
redis.pcall('HSET',tickets,'turn',string.format('%.0f %.0f %.0f',opened,now,grants+1))
if is_short then
redis.call('PEXPIRE',tickets,1100)
end
return is_due
end
`;

const libListeners = `local function listeners(publish,...)
return redis.pcall('PUBSUB',publish=='SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB',...)
end
`;

const libLockAdmit = `local function lock_admit(lock,tombstone,holder,count)
local held=redis.call('HGET',lock,holder)
if held then
return nil,tonumber(held)
end
local left_ms=redis.call('PTTL',lock)
if left_ms~=-2 then
local wrong=lock_foreign(lock)
if wrong then
return wrong
end
if count>1 then
return -4
end
return left_ms
end
if count>1 then
return -2
end
if redis.call('EXISTS',tombstone)==1 then
return -3
end
return nil,0
end
`;

const libLockEnter = `local function lock_enter(keys,token,holder,terms)
local lock,tombstone,line,tickets=unpack(keys)
local lease_ms,window_ms,is_listening_there =
terms.lease_ms,terms.window_ms,terms.is_listening
local tokens,publish,replaces=terms.tokens,terms.publish,terms.replaces
local function granted(held,others)
local issued='0'
if token then
if held>0 then
needs_no_memory(lock)
end
issued=token_issue(token,tokens)
end
if type(issued)=='table' then
return issued
end
return lock_write_hold(lock,holder,held,1,lease_ms) or others .. issued
end
if redis.call('EXISTS',lock,tombstone,line,tickets)==0 then
return granted(0,'+ 0 ')
end
local function granted_in_place(old)
redis.call('HDEL',lock,'')
local issued=token and token_issue(token,tokens) or '0'
if type(issued)=='table' then
return issued
end
redis.call('PEXPIRE',lock,lease_ms)
redis.call('HSET',lock,holder,1)
redis.call('HDEL',lock,old)
return '+ 1 ' .. issued
end
local function granted_from_line(held)
line_leave(line,tickets,holder)
return granted(held,'+ 1 ')
end
local now=now_ms()
if replaces~='' and redis.call('EXISTS',tombstone)==0 then
if redis.call('HEXISTS',lock,replaces)==1 then
return granted_in_place(replaces)
end
line_replace(line,tickets,replaces,holder)
end
local left_ms,held=lock_admit(lock,tombstone,holder,1)
if type(left_ms)=='table' then
return left_ms
elseif left_ms==-3 then
return '-3'
end
local is_free,first,first_window_ms=not left_ms,nil,nil
if is_free then
if held>0 then
return granted_from_line(held)
end
left_ms=line_stands_back(tickets,now)
if left_ms==0 then
first,first_window_ms=line_first(lock,line,tickets,now,publish)
if not first or first==holder then
return granted_from_line(0)
end
end
end
if redis.call('EXISTS',tombstone)==1 then
return '-3'
end
local owner=not is_free and redis.call('HRANDFIELD',lock)
local is_listening,is_ours=own_listening(holder,owner,lock,publish)
local is_seen,is_first =
line_put(line,tickets,holder,now,window_ms,is_listening,is_listening_there)
if type(is_seen)=='table' then
return is_seen
end
is_ours=is_free and 1 or is_ours
local channel,message=nil,nil
if first then
left_ms=tonumber(first_window_ms)
channel,message=line_grant(lock,line,tickets,token,now,first,first_window_ms,publish)
if type(channel)=='table' then
return channel
end
elseif
owner
and is_ours==1
and is_first
and tells_holder(lock,tickets,owner,holder,publish)
then
channel,message=own_channel(owner,lock,publish),'w' .. owner .. ' ' .. lock
end
left_ms=ahead_ms(left_ms,line_before(line,tickets,holder))
local answer=string.format('%.0f %.0f %.0f %.0f',left_ms,now,is_ours,is_seen)
return answer,channel,message
end
`;

const libLockForeign = `local function lock_foreign(lock)
local layout,found=lock_layout(lock,redis.call('HGET',lock,'mode'))
if layout=='read-write lock' then
found='a read-write lock'
end
return found and foreign(lock,found) or nil
end
`;

const libLockGone = `local function lock_gone(lock,held)
local is_foreign=type(held)=='table'
or select(2,lock_layout(lock,redis.call('HGET',lock,'mode')))~=nil
return is_foreign and '3' or redis.call('EXISTS',lock)==1 and '2' or '0'
end
`;

const libLockLayout = `local function lock_layout(lock,mode)
for _,field in ipairs(redis.call('HRANDFIELD',lock,2)) do
if field~='mode' then
if not is_holder(field) then
return nil,hash_found(field)
elseif not mode then
return 'lock'
elseif mode=='read' or mode=='write' then
return 'read-write lock'
end
end
end
return nil,mode and hash_found('mode') or nil
end
`;

const libLockRelease = `local function lock_release(keys,token,holder,count,tombstone_ms,publish,channel,listens)
local lock,tombstone,line,tickets=unpack(keys)
if tombstone_ms>0 then
needs_no_memory(lock)
redis.call('SET',tombstone,'1','PX',tombstone_ms)
end
local is_held=redis.pcall('HEXISTS',lock,holder)
if type(is_held)=='table' then
if string.find(is_held.err,'WRONGTYPE',1,true) then
line_leave(line,tickets,holder)
end
return is_held
end
is_held=is_held==1
if not is_held and redis.call('EXISTS',lock)==1 then
line_leave(line,tickets,holder)
local wrong=lock_foreign(lock)
if wrong then
return wrong
end
local head=redis.call('LINDEX',line,0)
if not head or own_listeners(redis.call('HRANDFIELD',lock),lock,publish)>0 then
return -1
end
return -1,own_channel(head,lock,publish),'r' .. head .. ' ' .. lock
end
if is_held and count>0 then
needs_no_memory(lock)
redis.call('HSET',lock,holder,count)
return 0
end
if is_held and redis.call('HLEN',lock)>1 then
redis.call('HDEL',lock,holder)
return 0
end
local now,first,window_ms=nil,nil,nil
if redis.call('EXISTS',line)==1 then
now=now_ms()
if not is_held then
line_leave(line,tickets,holder)
end
first,window_ms=line_first(lock,line,tickets,now,publish)
end
local has_line=first~=nil
local length=has_line and redis.call('LLEN',line) or 0
local is_opened=is_held
and (has_line or listens~='-1')
and line_turn(tickets,length,math.max(0,listens),publish,channel,now)
local to,message=nil,nil
if has_line and not is_opened then
to,message=line_grant(lock,line,tickets,token,now,first,window_ms,publish)
if type(to)=='table' then
return to
end
end
redis.call('HDEL',lock,holder)
if message then
return is_held and -5 or -1,to,message
end
if is_opened and has_line then
return -6,channel,'0'
end
if not is_held then
return -2
end
return 1,channel,'0'
end
`;

const libLockWriteHold = `local function lock_write_hold(lock,holder,held,count,lease_ms)
if held==0 then
redis.call('HSET',lock,holder,count)
local leased=redis.pcall('PEXPIRE',lock,lease_ms)
if type(leased)=='table' then
redis.call('HDEL',lock,holder)
return leased
end
return nil
end
if redis.call('PTTL',lock)<lease_ms then
redis.call('PEXPIRE',lock,lease_ms)
end
if held<count then
redis.call('HSET',lock,holder,count)
end
return nil
end
`;

const libNeedsMemory = `local function needs_memory(key)
redis.call('ZADD',key,'XX',0,'')
end
`;

const libNeedsNoMemory = `local function needs_no_memory(key)
redis.pcall('HDEL',key,'')
end
`;

const libNextMark = `local function next_mark(last)
local time=redis.call('TIME')
local above=(tonumber(last or 0) or 0)+1
return string.format('%.0f',math.max(time[1]*1000000+time[2],above))
end
`;

const libNotify = `local function notify(reply,publish,channel,payload)
if type(redis.pcall(publish,channel,payload))=='table' then
return { reply or false,publish,channel }
end
return reply
end
`;

const libNotifyAvailable = `local function notify_available(reply,available,publish,channel)
if available<=0 then
return reply
end
return notify(reply,publish,channel,string.format('%.0f',available))
end
`;

const libNotifyEnded = `local function notify_ended(reply,key,clients,own,publish,channel,payload)
local answer,told={ reply },{ [own]=true }
for i=1,#clients do
local client=clients[i]
if not told[client] then
told[client]=true
local own_channel='redlatch' .. ':' .. client
local receivers=redis.pcall('PUBLISH',own_channel,'e' .. key)
if type(receivers)=='table' then
answer[2],answer[3]='PUBLISH',own_channel
end
end
end
local receivers=payload and redis.pcall(publish,channel,payload)
if type(receivers)=='table' then
answer[#answer+1],answer[#answer+2]=publish,channel
end
return #answer>1 and answer or reply
end
`;

const libNotifyGranted = `local function notify_granted(reply,publish,told)
local answer={ reply }
for i=1,#told,2 do
local receivers=redis.pcall(publish,told[i],told[i+1])
if type(receivers)=='table' then
answer[#answer+1],answer[#answer+2]=publish,told[i]
end
end
return #answer>1 and answer or reply
end
`;

const libNotifyMade = `local function notify_made(reply,available,publish,channel)
return notify(reply,publish,channel,string.format('%.0f',math.max(available,0)))
end
`;

const libNowMs = `local function now_ms()
local time=redis.call('TIME')
return time[1]*1000+math.floor(time[2]/1000)
end
`;

const libOwnChannel = `local function own_channel(id,lock,publish)
local channel='redlatch' .. ':' .. string.sub(id,1,36)
if publish=='PUBLISH' then
return channel
end
return channel .. ':' .. (string.find(lock,'{',1,true) and lock or '{' .. lock .. '}')
end
`;

const libOwnListeners = `local function own_listeners(id,lock,publish)
local answer=listeners(publish,own_channel(id,lock,publish))
return answer[2] or 0,answer.err~=nil
end
`;

const libOwnListening = `local function own_listening(id,other,lock,publish)
local answer=listeners(
publish,
own_channel(id,lock,publish),
other and own_channel(other,lock,publish) or ''
)
return (answer[2] or 0)>0 and 1 or 0,(answer[4] or 0)>0 and 1 or 0
end
`;

const libPermitsClients = `local function permits_clients(permits)
local clients={}
for i=1,#permits do
clients[i]=string.gsub(string.sub(permits[i],1,8),'.',function(byte)
return string.format('%02x',string.byte(byte))
end)
end
return clients
end
`;

const libPermitsCount = `local function permits_count(timeouts,first,count,now)
local taken,held=0,0
for from=0,count - 1,1000 do
local ids=permits_ids(first,from,math.min(from+1000,count))
for _,expiry in ipairs(redis.call('ZMSCORE',timeouts,unpack(ids))) do
taken=taken+(expiry and 1 or 0)
held=held+(expiry and tonumber(expiry)>now and 1 or 0)
end
end
return taken,held
end
`;

const libPermitsExpiryMs = `local function permits_expiry_ms(timeouts,count,now)
local last=redis.call('ZRANGE',timeouts,count - 1,count - 1,'WITHSCORES')
if not last[2] or tonumber(last[2])>=922337203685477 then
return -1
end
return math.max(tonumber(last[2]) - now,0)
end
`;

const libPermitsId = `local function permits_id(first,i)
local last=(struct.unpack('>I4',first,13)+i) % 4294967296
return string.sub(first,1,12) .. struct.pack('>I4',last)
end
`;

const libPermitsIdle = `local function permits_idle(semaphore,leases,stated_ms,exists,known_ms)
local earlier_ms=exists and known_ms or nil
if not stated_ms or stated_ms==earlier_ms then
return earlier_ms
elseif exists and not earlier_ms and redis.call('PTTL',semaphore)>=0 then
return nil
end
leases_set_idle(leases,stated_ms)
return stated_ms
end
`;

const libPermitsIds = `local function permits_ids(first,from,to)
local ids={}
for i=from,to - 1 do
ids[#ids+1]=permits_id(first,i)
end
return ids
end
`;

const libPermitsOwnClient = `local function permits_own_client(requests)
local id=string.gsub(string.sub(requests,-36),'-','')
return string.sub(id,1,2*8)
end
`;

const libPermitsReclaim = `local function permits_reclaim(semaphore,timeouts,leases,now)
local first=redis.call('ZRANGE',timeouts,0,0,'WITHSCORES')
if not first[1] or tonumber(first[2])>now then
return 0,0,not first[1]
end
local expired=redis.call('ZRANGEBYSCORE',timeouts,'-inf',now,'LIMIT',0,1000)
local all=#expired==1000 and redis.call('ZCOUNT',timeouts,'-inf',now) or #expired
redis.call('INCRBY',semaphore,#expired)
local removed=redis.pcall('ZREM',timeouts,unpack(expired))
if type(removed)=='table' then
redis.call('INCRBY',semaphore,-#expired)
return removed
end
redis.call('ZREM',leases,unpack(expired))
return #expired,all - #expired,false
end
`;

const libPermitsRemove = `local function permits_remove(timeouts,leases,claims)
for _,claim in ipairs(claims) do
local count=tonumber(string.sub(claim,17))
for from=0,count - 1,1000 do
local ids=permits_ids(claim,from,math.min(from+1000,count))
local removed=redis.pcall('ZREM',timeouts,unpack(ids))
if type(removed)=='table' then
return removed
end
redis.call('ZREM',leases,unpack(ids))
end
end
return nil
end
`;

const libPermitsRename = `local function permits_rename(semaphore,timeouts,leases,from,to,now,end_ms,lease_ms)
local score,life_ms=redis.call('ZSCORE',leases,from),redis.call('PTTL',semaphore)
local idle_ms=life_ms>=0 and leases_idle(leases)
if idle_ms then
life_ms=-1
end
local length_ms=score and leases_length(tonumber(score),end_ms) or math.huge
local left_ms=math.max(math.min(end_ms - now,length_ms),lease_ms)
redis.call('ZREM',leases,'')
leases_write(timeouts,leases,to,now,left_ms,life_ms)
if from~=to then
redis.call('ZREM',timeouts,from)
redis.call('ZREM',leases,from)
end
if idle_ms then
permits_used(semaphore,timeouts,leases,idle_ms,now)
elseif life_ms>0 then
redis.call('PEXPIRE',timeouts,life_ms)
end
return left_ms,life_ms
end
`;

const libPermitsReturn = `local function permits_return(semaphore,timeouts,leases,claims,notifies,looks)
local left,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local idle_ms=looks and left and leases_idle(leases)
local now,taken,held=now_ms(),0,0
for _,claim in ipairs(claims) do
local count=tonumber(string.sub(claim,17))
local some_taken,some_held=permits_count(timeouts,claim,count,now)
taken,held=taken+some_taken,held+some_held
end
local pooled,available=left and taken or 0,nil
if left and (taken>0 or notifies) then
available=left+redis.call('ZCOUNT',timeouts,'-inf',now)+held
end
if taken>0 then
redis.call('ZREM',leases,'')
if pooled>0 then
redis.call('INCRBY',semaphore,pooled)
end
local refused=permits_remove(timeouts,leases,claims)
if refused then
if pooled>0 then
redis.call('INCRBY',semaphore,-pooled)
end
return refused
end
end
if idle_ms and taken>0 then
permits_used(semaphore,timeouts,leases,idle_ms,now)
end
return left and held or 0,available
end
`;

const libPermitsRevive = `local function permits_revive(key,exists,is_deleted)
if exists and is_deleted then
redis.call('DEL',key)
end
end
`;

const libPermitsSetting = `local function permits_setting(setting,exists,total,is_deleted)
local mismatch,statement,text=string.match(setting,'^(%a+) (%d) (%d+)')
local count=tonumber(text)
if not exists then
if statement=='1' or not is_deleted then
return count,count
end
return nil,0
elseif total~=count and mismatch=='set' then
return count - total,count
end
return nil,total,total~=count and mismatch=='error'
end
`;

const libPermitsStatement = `local function permits_statement(key,setting,total,now)
local statement,count=string.match(setting,'^%a+ (%d) (%d+)')
local known,old=statements_read(key,now)
local is_known=statement=='1' or statement=='4'
local first=is_known and statement_since(known,count,now) or 0
for _,each in ipairs(known) do
if each.count==count then
is_known,first=true,each.since
end
end
local only_keeps,is_set=statement=='3' and total,total==tonumber(count)
if only_keeps and #known==0 and not is_set then
return nil,-1
end
local newest,gone,kept=nil,{},{}
for _,each in ipairs(known) do
local is_newer=each.count~=count and each.since>=first
each.left=each.kept+300000 - now
if is_newer and each.left>0 and not (newest and newest.since>each.since) then
newest=each
elseif is_newer and each.left<=0 then
gone[#gone+1]=each.count
end
if each.is_ahead and each.count~=count then
kept[#kept+1]=each.count
kept[#kept+1]=string.format('%.0f %.0f',each.since,now)
end
end
if is_known or not newest then
kept[#kept+1]=count
kept[#kept+1]=string.format('%.0f %.0f',first,now)
end
redis.call('PEXPIRE',key,86400000)
if #kept>0 then
redis.call('HSET',key,unpack(kept))
end
redis.call('PEXPIRE',key,86400000)
if only_keeps then
local left_ms=newest and newest.left or #gone>0 and 0 or -1
return nil,is_set and -1 or left_ms
elseif newest then
return not total and tonumber(newest.count) or nil,newest.left
end
for _,each in ipairs(old) do
if each~=count then
gone[#gone+1]=each
end
end
if #gone>0 then
redis.call('HDEL',key,unpack(gone))
end
return tonumber(count),-1
end
`;

const libPermitsTake = `local function permits_take(timeouts,leases,first,count,now,lease_ms)
local expiry,ends,records=now+lease_ms,{},{}
local end_text,score=string.format('%.0f',expiry),leases_score(now,expiry)
for i=0,count - 1 do
local permit=permits_id(first,i)
ends[2*i+1],ends[2*i+2]=end_text,permit
records[2*i+1],records[2*i+2]=score,permit
end
redis.call('ZADD',timeouts,unpack(ends))
redis.call('ZADD',leases,unpack(records))
end
`;

const libPermitsTwinRefusal = `local function permits_twin_refusal(timeouts,twin)
local count=twin and redis.pcall('GET',twin)
if type(count)=='string' and string.find(count,'^%-?%d+$') then
return redis.error_reply('WRONGTYPE the name shares ' .. timeouts .. ' with ' .. twin)
end
end
`;

const libPermitsUsed = `local function permits_used(semaphore,timeouts,leases,idle_ms,now)
local last=redis.call('ZRANGE',timeouts,-1,-1,'WITHSCORES')
local stands_ms=math.max((tonumber(last[2]) or 0) - now,0)
local end_ms=string.format('%.0f',stands_ms+math.max(idle_ms,15000))
local moved=redis.pcall('PEXPIRE',semaphore,end_ms)
if type(moved)=='table' then
return moved
end
redis.call('PEXPIRE',timeouts,end_ms)
redis.call('PEXPIRE',leases,end_ms)
return nil
end
`;

const libQueueFirst = `local function queue_first(queue,heartbeats,now)
for i=1,32 do
local first=redis.call('ZRANGE',queue,0,0,'WITHSCORES')
if not first[1] then
return nil
end
local heard=heard_at(heartbeats,first[1],now)
local left=heard and heard+4000 - now or 0
if left>0 then
return first[1],tonumber(first[2]),left
end
if i==32 then
return first[1],tonumber(first[2]),0
end
redis.call('ZREM',queue,first[1])
redis.call('ZREM',heartbeats,first[1])
end
end
`;

const libQueueHeartbeat = `local function queue_heartbeat(heartbeats,member,now)
zadd_for(heartbeats,600000,now,member)
end
`;

const libRankNew = `local function rank_new(micros,...)
local rank=micros
for _,queue in ipairs({ ... }) do
local last=redis.call('ZREVRANGE',queue,0,0,'WITHSCORES')
rank=math.max(rank,(tonumber(last[2]) or 0)+1)
end
return rank
end
`;

const libRequestKeepRecord = `local function request_keep_record(requests,low_water)
if zadd_for(requests,1800000,'LT','CH','-' .. low_water,'floor')==1 then
redis.call('ZREMRANGEBYSCORE',requests,'0','(' .. low_water)
end
end
`;

const libRequestLate = `local function request_late(requests,number,low_water,until_ms)
if until_ms=='0' then
return nil
end
local time=redis.pcall('TIME')
local now=not time.err and time[1]*1000+math.floor(time[2]/1000)
if not now or now<=tonumber(until_ms) then
return nil
end
request_keep_record(requests,low_water)
return string.format('%s %.0f',request_record(requests,number,'past'),now)
end
`;

const libRequestRecall = `local function request_recall(requests,number)
local seen=redis.call('ZRANGEBYSCORE',requests,number,number)[1]
if seen then
return string.sub(seen,#number+2)
end
local low_water=redis.call('ZSCORE',requests,'floor')
if low_water and tonumber(number)<-tonumber(low_water) then
return 'late'
end
return nil
end
`;

const libRequestRecord = `local function request_record(requests,number,answer)
redis.call('ZADD',requests,number,number .. ':' .. answer)
return answer
end
`;

const libRwBefore = `local function rw_before(keys,since)
local count=redis.call('ZCOUNT',keys.writers,'-inf',string.format('(%.0f',since))
local before=count>0 and redis.call('ZRANGE',keys.writers,count - 1,count - 1)[1]
local ticket=before and redis.call('HGET',keys.tickets,before)
return ticket and string.match(ticket,'^%d+ (%d+)')
end
`;

const libRwFirstWriter = `local function rw_first_writer(keys,now,has_ticket)
local at,removed=0,0
while true do
local entry=redis.call('ZRANGE',keys.writers,at,at,'WITHSCORES')
local id=entry[1]
if not id then
return nil
end
local heard=heard_at(keys.heartbeats,id,now)
local left_ms=heard and heard+4000 - now or 0
local ticket=redis.call('HGET',keys.tickets,id)
local window_ms,is_seen=string.match(ticket or '','^%d+ (%d+) (%d)')
if left_ms<=0 and removed==31 then
if has_ticket then
return nil
end
return id,tonumber(entry[2]),0,nil
elseif left_ms<=0 then
rw_leave_line(keys,id)
removed=removed+1
elseif not window_ms and not has_ticket then
return id,tonumber(entry[2]),left_ms,nil
else
local can_take=is_seen=='0' and 4000 - left_ms<=1000
if is_seen=='1' then
local listeners,is_refused=own_listeners(id,keys.lock,keys.publish)
can_take=listeners>0 or is_refused and not has_ticket
end
if can_take then
return id,tonumber(entry[2]),left_ms,window_ms
end
at=at+1
end
end
end
`;

const libRwGrant = `local function rw_grant(keys,now,id,window_ms,readers_wait)
redis.call('ZREM',keys.writers,'')
redis.call('HDEL',keys.tickets,'')
redis.call('HDEL',keys.lock,'')
local is_leased=redis.call('PEXPIRE',keys.lock,window_ms)==1
redis.call('DEL',keys.readers)
redis.call('HSET',keys.lock,'mode','write',id .. ':write',1)
rw_leave_line(keys,id)
if not is_leased then
redis.call('PEXPIRE',keys.lock,window_ms)
end
local message=string.format('x%s %.0f %s %.0f %s',id,now,window_ms,readers_wait,keys.lock)
return own_channel(id,keys.lock,keys.publish),message
end
`;

const libRwIsAlive = `local function rw_is_alive(readers,reader,hold,now)
local score=redis.call('ZSCORE',readers,reader)
if score then
return ends_left(tonumber(score),now)>0
end
return redis.call('EXISTS',hold)==1
end
`;

const libRwKeepHolds = `local function rw_keep_holds(keys,first,last,lease_ms)
local made={}
for i=first,last do
local left=redis.call('PTTL',keys[i])
if left<lease_ms then
redis.call('SET',keys[i],'1','PX',lease_ms)
if left==-2 then
made[#made+1]=keys[i]
end
end
end
return made
end
`;

const libRwLast = `local function rw_last(lock,readers,now)
local last=redis.call('ZREVRANGE',readers,0,0,'WITHSCORES')
local left_ms,is_ahead=ends_left(tonumber(last[2]) or 0,now)
if left_ms>0 and redis.call('HEXISTS',lock,last[1])==1 then
return left_ms,is_ahead
end
return nil,is_ahead
end
`;

const libRwLeaveLine = `local function rw_leave_line(keys,id)
local stood=redis.call('ZREM',keys.writers,id)==1
if stood then
redis.call('ZREM',keys.heartbeats,id)
end
if
redis.call('HDEL',keys.tickets,id,'told')>0 and redis.call('EXISTS',keys.writers)==0
then
redis.call('PEXPIRE',keys.tickets,1100)
end
return stood
end
`;

const libRwLeft = `local function rw_left(readers,reader,holds,now,stem)
local score=redis.call('ZSCORE',readers,reader)
if score then
return (ends_left(tonumber(score),now))
end
local left=0
for hold=1,math.min(tonumber(holds) or 0,100) do
left=math.max(left,redis.call('PTTL',stem .. reader .. ':rwlock_timeout:' .. hold))
end
return left
end
`;

const libRwMode = `local function rw_mode(lock)
local mode=redis.call('HGET',lock,'mode')
if not mode and redis.call('EXISTS',lock)==0 then
return false
end
local layout,found=lock_layout(lock,mode)
if layout~='read-write lock' then
return foreign(lock,found or 'a lock that is no read-write lock')
end
return mode
end
`;

const libRwNextWriter = `local function rw_next_writer(keys,now)
local id,since,_,window_ms=rw_first_writer(keys,now,true)
local reader,reader_since=queue_first(keys.waiting,keys.heartbeats,now)
local is_reader_first=id and reader and reader_since<since
return not is_reader_first and id or nil,window_ms,reader and 1 or 0,is_reader_first
end
`;

const libRwOwner = `local function rw_owner(lock)
if redis.call('HLEN',lock)==2 then
for _,field in ipairs(redis.call('HRANDFIELD',lock,2)) do
if string.sub(field,-6)==':write' then
return string.sub(field,1,-7)
end
end
end
return nil
end
`;

const libRwPutTicket = `local function rw_put_ticket(tickets,id,now,window_ms,is_seen,is_listening)
local is_there=redis.call('PEXPIRE',tickets,60000)==1
local ticket=string.format('%.0f %s %.0f %s',now,window_ms,is_seen,is_listening)
local is_new=redis.call('HSET',tickets,id,ticket)==1
if not is_there then
redis.call('PEXPIRE',tickets,60000)
end
return not is_there or not is_new
end
`;

const libRwReaders = `local function rw_readers(lock,readers,now,stem)
local last,is_ahead=rw_last(lock,readers,now)
if is_ahead then
ends_again(readers,now)
last=rw_last(lock,readers,now)
end
if last then
return last
end
local are_all=redis.call('HLEN',lock)<=200
local fields=redis.call('HRANDFIELD',lock,200,'WITHVALUES')
local gone,left={},0
for i=1,#fields,2 do
local reader=fields[i]
if reader~='mode' then
left=rw_left(readers,reader,fields[i+1],now,stem)
if left>0 then
break
end
gone[#gone+1]=reader
end
end
if left<=0 and are_all then
redis.call('DEL',lock,readers)
return nil
end
if #gone>0 then
redis.call('ZREM',readers,unpack(gone))
redis.call('HDEL',lock,unpack(gone))
end
return math.max(left,0)
end
`;

const libRwReplace = `local function rw_replace(keys,old,new,rank,micros)
local since=tonumber(redis.call('ZSCORE',keys.writers,old) or 0)
if since==0 then
return false
end
local latest=rank_new(micros,keys.writers,keys.waiting)
rank=rank>0 and math.min(rank,latest) or latest
local before=string.format('(%.0f',rank)
local is_behind=#redis.call('ZRANGEBYSCORE',keys.waiting,'-inf',before,'LIMIT',0,1)==1
needs_memory(keys.writers)
redis.call('ZREM',keys.writers,'')
redis.call('HDEL',keys.tickets,'')
local ticket=redis.call('HGET',keys.tickets,old)
if ticket then
redis.call('HSET',keys.tickets,new,ticket)
end
rank=is_behind and math.max(since,rank) or since
redis.call('ZADD',keys.writers,rank,new)
queue_heartbeat(keys.heartbeats,new,math.floor(micros/1000))
rw_leave_line(keys,old)
return rank>since
end
`;

const libRwServe = `local function rw_serve(keys,now)
if redis.call('EXISTS',keys.writers)==0 or line_stands_back(keys.tickets,now)>0 then
return nil
end
local id,window_ms,readers_wait=rw_next_writer(keys,now)
if not id then
return nil
end
return rw_grant(keys,now,id,window_ms,readers_wait)
end
`;

const libRwStopsWaiting = `local function rw_stops_waiting(keys,client,now)
if redis.call('ZREM',keys.waiting,client)==0 then
return false
end
redis.call('ZREM',keys.heartbeats,client)
local ttl_ms=redis.call('PTTL',keys.tickets)
if ttl_ms>0 then
tickets_checked(keys.tickets)
redis.call('HSET',keys.tickets,client,string.format('%.0f 0 0 1',now))
redis.call('PEXPIRE',keys.tickets,math.max(ttl_ms,1100))
end
return true
end
`;

const libRwSweep = `local function rw_sweep(lock,readers,now)
local later=string.format('(%.0f',now+1)
local dead=redis.call('ZRANGEBYSCORE',readers,'-inf',later,'LIMIT',0,100)
if #dead==0 then
return false
end
local others=redis.call('HLEN',lock) - 1
for _,reader in ipairs(dead) do
others=others - redis.call('HEXISTS',lock,reader)
end
local freed=others==0 and redis.call('HGET',lock,'mode')=='read'
redis.call('ZREM',readers,'')
if freed then
redis.call('DEL',lock)
else
redis.call('HDEL',lock,unpack(dead))
end
redis.call('ZREM',readers,unpack(dead))
return freed
end
`;

const libRwTurn = `local function rw_turn(keys,has_line,client,listens,publish,channel,now)
if not has_line and listens=='-1' then
return false
end
local own=redis.call('ZCARD',keys.waiting)
local is_counted=own>0 and redis.call('ZSCORE',keys.waiting,client)
or redis.call('HEXISTS',keys.tickets,client)==1
if not is_counted then
own=own+math.max(0,listens)
end
local length=has_line and redis.call('ZCARD',keys.writers) or 0
return line_turn(keys.tickets,length,own,publish,channel,now)
end
`;

const libRwUntoldWriter = `local function rw_untold_writer(keys,now)
if redis.call('HLEN',keys.lock) - 1<=redis.call('ZCARD',keys.readers) then
return nil
end
local id=rw_first_writer(keys,now,true)
local ticket=id and redis.call('HGET',keys.tickets,id) or ''
return string.sub(ticket,-1)=='0' and id or nil
end
`;

const libSemaphoreChange = `local function semaphore_change(semaphore,change,key,record)
local by,done=string.format('%.0f',math.abs(change)),nil
if record and record.idle_ms then
done=record.end_ms and redis.pcall('SET',semaphore,record.left,'PX',record.end_ms)
or redis.pcall('SET',semaphore,record.left)
else
done=change<0 and redis.pcall('DECRBY',semaphore,by)
or redis.pcall('INCRBY',semaphore,by)
end
if type(done)~='table' or not done.err then
return nil
end
if record and record.before then
redis.call('HSET',key,unpack(record.before))
if record.end_ms then
redis.call('PEXPIRE',key,2592000000)
end
end
for i=1,record and #record.added or 0,2 do
redis.call('HDEL',key,record.added[i])
end
return done
end
`;

const libSemaphoreForget = `local function semaphore_forget(key,record)
local picked,grants=redis.call('HRANDFIELD',key,100,'WITHVALUES'),{}
for i=1,#picked,2 do
local permits,born=string.match(picked[i+1],'^(%d+) (%d+)$')
if permits then
grants[#grants+1] =
{ field=picked[i],permits=tonumber(permits),born=tonumber(born) }
end
end
table.sort(grants,function(one,other)
return one.born<other.born
end)
for i=1,math.ceil(#grants/10) do
local grant=grants[i]
redis.call('HDEL',key,grant.field)
record.sum=record.sum - grant.permits
record.loose=math.max(0,record.loose - grant.permits)
record.forgotten=math.max(record.forgotten,grant.born)
end
end
`;

const libSemaphoreIdle = `local function semaphore_idle(record,available)
if not (record and record.idle_ms) then
return
end
record.left,record.end_ms=string.format('%.0f',available),nil
if available>=record.total then
record.end_ms=math.max(record.idle_ms,15000)
end
end
`;

const libSemaphoreKeep = `local function semaphore_keep(key,record)
if record.loose>1000 then
semaphore_forget(key,record)
record.has_changed=true
end
local life_ms=record.life_ms
if record.idle_ms then
life_ms=record.end_ms and record.end_ms+1000 or 2592000000
end
if record.life_ms then
redis.call('DEL',key)
end
if life_ms then
redis.call('PEXPIRE',key,life_ms)
elseif record.is_used and not record.has_limit then
redis.call('PEXPIRE',key,2592000000)
end
local fields={ 'grants',string.format('%.0f %.0f',record.sum,record.last) }
if record.life_ms or record.has_changed then
fields[3]='semaphore'
fields[4]=string.format(
'%s %.0f %.0f %.0f %s %s',
record.id,
record.total,
record.loose,
record.forgotten,
record.is_stated and '1' or '0',
record.idle_ms and string.format('%.0f',record.idle_ms) or record.has_limit and '1' or '0'
)
end
for _,each in ipairs(record.added) do
fields[#fields+1]=each
end
redis.call('HSET',key,unpack(fields))
if record.life_ms then
redis.call('PEXPIRE',key,life_ms)
end
if #record.removed>0 then
redis.call('HDEL',key,unpack(record.removed))
end
end
`;

const libSemaphoreNewRecord = `local function semaphore_new_record(old,ttl_ms,total,is_stated,idle_ms)
return {
id=next_mark(old and old.id),
added={},
removed={},
total=total,
loose=0,
forgotten=0,
is_stated=is_stated,
has_limit=ttl_ms>0,
idle_ms=idle_ms,
sum=0,
last=0,
life_ms=ttl_ms>0 and ttl_ms or 2592000000,
}
end
`;

const libSemaphorePutIn = `local function semaphore_put_in(record,client,number,needs,served)
local first=record.last+1
for i=1,served do
record.sum=record.sum+needs[i]
record.added[2*i - 1]=client .. ':' .. number .. ':' .. i
record.added[2*i]=needs[i] .. ' ' .. first
end
record.last=record.last+served
record.is_used=served>0 and first % 10==0
return record.id .. ':' .. string.format('%.0f',first) .. ':' .. number
end
`;

const libSemaphoreRecord = `local function semaphore_record(key)
local of=redis.call('HGET',key,'semaphore')
if not of then
local field=redis.call('HRANDFIELD',key)
if field=='deleted' then
return nil,true
end
if field then
error(foreign(key,hash_found(field)),0)
end
return nil
end
local grants=redis.call('HGET',key,'grants')
local id,total,loose,forgotten,stated,limited =
string.match(of,'^(%d+) (%-?%d+) (%d+) (%d+) (%d) (%d+)$')
local sum,last=string.match(grants or '','^(%d+) (%d+)$')
if not (id and sum) then
error(foreign(key,hash_found('semaphore')),0)
end
return {
before={ 'semaphore',of,'grants',grants },
added={},
removed={},
id=id,
total=tonumber(total),
loose=tonumber(loose),
forgotten=tonumber(forgotten),
is_stated=stated=='1',
has_limit=limited=='1',
idle_ms=#limited>1 and tonumber(limited) or nil,
sum=tonumber(sum),
last=tonumber(last),
}
end
`;

const libSemaphoreSetting = `local function semaphore_setting(setting,stored,record,is_deleted)
local total=stored and (record and record.total or stored)
if
stored
and record
and not record.is_stated
and total==tonumber(string.match(setting,'^%a+ %d (%d+)'))
then
record.is_stated,record.has_changed=true,true
end
local idle_ms=stored and record and not record.has_limit and setting_idle(setting)
if idle_ms and idle_ms~=record.idle_ms then
record.idle_ms,record.has_changed=idle_ms,true
end
return permits_setting(setting,stored,total,is_deleted)
end
`;

const libSemaphoreSettle = `local function semaphore_settle(record,left)
if record.loose>record.sum then
record.loose,record.has_changed=record.sum,true
end
local over=left+record.sum - record.loose - record.total
if over<=0 then
return left,0
end
record.has_changed=true
local absorbed=math.min(over,record.sum - record.loose)
record.loose=record.loose+absorbed
over=over - absorbed
if over>0 and record.is_stated then
return left - over,left
end
record.total=record.total+over
return left,0
end
`;

const libSemaphoreTakeOut = `local function semaphore_take_out(key,record,client,mark,place,counts)
local born,number=string.match(mark,'^%d+:(%d+):(%d+)$')
local returned=0
for i,count in ipairs(counts) do
local grant=client .. ':' .. number .. ':' .. (place+i - 1)
local value=redis.call('HGET',key,grant)
if value then
local permits=tonumber(string.match(value,'^%d+'))
record.sum=record.sum - permits
record.removed[#record.removed+1]=grant
record.before[#record.before+1]=grant
record.before[#record.before+1]=value
returned=returned+permits
elseif tonumber(born)<=record.forgotten then
returned=returned+count
end
end
return returned
end
`;

const libSemaphoreUsed = `local function semaphore_used(semaphore,key,record)
if record and record.end_ms then
redis.call('PEXPIRE',key,record.end_ms+1000)
redis.call('PEXPIRE',semaphore,record.end_ms)
end
end
`;

const libServeWaiters = `local function serve_waiters(queue,heartbeats,client,must_queue,available,needs)
local now,has_left,first,absent_ms,_=nil,false,nil,nil,nil
if must_queue or redis.call('EXISTS',queue)==1 then
now=now_ms()
if must_queue then
redis.call('ZCARD',heartbeats)
local time=redis.call('TIME')
local rank=rank_new(time[1]*1000000+time[2],queue)
zadd_for(queue,600000,'NX',string.format('%.0f',rank),client)
queue_heartbeat(heartbeats,client,now)
elseif redis.call('ZREM',queue,client)==1 then
redis.call('ZREM',heartbeats,client)
has_left=true
end
first,_,absent_ms=queue_first(queue,heartbeats,now)
end
local served,taken=0,0
for i=1,#needs do
local need=tonumber(needs[i])
if first and first~=client or need>available - taken then
break
end
served,taken=served+1,taken+need
if first then
has_left=redis.call('ZREM',queue,client)==1
redis.call('ZREM',heartbeats,client)
first,_,absent_ms=queue_first(queue,heartbeats,now)
end
end
return served,taken,first and first~=client and absent_ms or -1,has_left
end
`;

const libSetFor = `local function set_for(key,value,ttl_ms)
if tonumber(ttl_ms)>0 then
redis.call('SET',key,value,'PX',ttl_ms)
else
redis.call('SET',key,value)
end
end
`;

const libSettingIdle = `local function setting_idle(setting)
return tonumber(string.match(setting,'^%a+ %d %d+ (%d+)$'))
end
`;

const libSoleHolder = `local function sole_holder(lock)
return redis.call('HLEN',lock)==1 and redis.call('HRANDFIELD',lock) or nil
end
`;

const libStatementSince = `local function statement_since(known,count,now)
local since=now
for _,each in ipairs(known) do
if each.count~=count then
since=math.max(since,each.since+1)
end
end
return since
end
`;

const libStatementsKnown = `local function statements_known(key)
local field=redis.call('HRANDFIELD',key)
if field and not string.find(field,'^%d+$') then
error(foreign(key,hash_found(field)),0)
end
return field
end
`;

const libStatementsRead = `local function statements_read(key,now)
local all,known,old=redis.call('HGETALL',key),{},{}
for i=1,#all,2 do
local since,kept=string.match(all[i+1],'^(%d+) (%d+)$')
local kept_ms=math.min(tonumber(kept),now)
if now - kept_ms<86400000 then
local is_ahead=kept_ms<tonumber(kept)
known[#known+1] =
{ count=all[i],since=tonumber(since),kept=kept_ms,is_ahead=is_ahead }
else
old[#old+1]=all[i]
end
end
return known,old
end
`;

const libStoredCount = `local function stored_count(key)
local value=redis.call('GET',key)
if not value then
return nil
end
if not string.find(value,'^%-?%d+$') then
return nil,foreign(key,'a string that is no integer')
end
return tonumber(value)
end
`;

const libTellsHolder = `local function tells_holder(lock,tickets,owner,id,publish)
if
string.sub(owner,1,36)==string.sub(id,1,36)
or redis.call('HGET',tickets,'told')==owner
or own_listeners(owner,lock,publish)==0
then
return false
end
redis.pcall('HSET',tickets,'told',owner)
return true
end
`;

const libTicketsChecked = `local function tickets_checked(tickets)
local field=redis.call('HRANDFIELD',tickets)
local is_ours=not field
or field=='turn'
or field=='back'
or field=='told'
or is_holder(field)
or #field==36 and is_holder(field .. ':1')
if not is_ours then
error(foreign(tickets,hash_found(field)),0)
end
end
`;

const libTokenIssue = `local function token_issue(token,count)
local counter=redis.pcall('GET',token)
if type(counter)=='table' then
return counter
end
local time=redis.call('TIME')
local micros=time[1]*1000000+time[2]
local number=not counter and 0 or string.find(counter,'^-?%d+$') and tonumber(counter)
if number and number+1<micros then
local issued=string.format('%.0f',micros+count - 1)
local set=redis.pcall('SET',token,issued)
return set.err and set or issued
end
local counted=redis.pcall('INCRBY',token,count)
if type(counted)=='table' then
return counted
end
return redis.call('GET',token)
end
`;

const libTombstonesSet = `local function tombstones_set(lock,tombstones,tombstone_ms)
local fields=redis.call('HSCAN',lock,0,'COUNT',500)[2]
for i=1,#fields,2 do
if fields[i]~='mode' then
redis.call('SET',tombstones .. fields[i],'1','PX',tombstone_ms)
end
end
return fields
end
`;

const libZaddFor = `local function zadd_for(key,ttl_ms,...)
local is_new=redis.call('PEXPIRE',key,ttl_ms)==0
local added=redis.call('ZADD',key,...)
if is_new then
redis.call('PEXPIRE',key,ttl_ms)
end
return added
end
`;

/** take permits for the waiters of one client, in order, as many as fit. */
export const expirableSemaphoreAcquire: Script<
  { semaphore: string; timeouts: string; requests: string; queue: string; heartbeats: string; leases: string; deleted: string },
  { number: number; lowWater: number; publish: string; channel: string; client: string; mustQueue: number; declared: string; claims: readonly Buffer[] },
  string
> = {
  name: 'expirable-semaphore/acquire',
  sha1: '2c85fad57fea4d1872e1fd1fc4f4d739f5873829',
  source: `-- expirable-semaphore/acquire
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libNeedsMemory}${libRequestRecord}${libNowMs}${libForeign}${libStoredCount}${libPermitsRevive}${libLeasesIdle}${libLeasesMissing}${libLeasesTtl}${libLeasesSetTotal}${libPermitsReclaim}${libPermitsId}${libLeasesScore}${libPermitsTake}${libLeasesForget}${libLeasesLength}${libLeasesBringDown}${libPermitsUsed}${libPermitsExpiryMs}${libQueueHeartbeat}${libHeardAgain}${libHeardAt}${libQueueFirst}${libRankNew}${libServeWaiters}${libNotify}${libNotifyAvailable}local function run()
local requests,number=KEYS[3],ARGV[1] do local answer=request_recall(requests,number) if answer then return answer end end
local semaphore,timeouts,leases,is_declared=KEYS[1],KEYS[2],KEYS[6],ARGV[7]~=''
local pool,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local counts,lengths={},{}
for i=8,#ARGV do
local count,lease=string.match(ARGV[i],'^(%d+) (%d+)$',17)
counts[i - 7],lengths[i - 7]=tonumber(count),tonumber(lease)
end
local total=is_declared and redis.call('ZCARD',timeouts)+(pool or 0)
local is_deleted=(is_declared or not pool) and redis.call('GET',KEYS[7])
needs_memory(leases)
permits_revive(KEYS[7],pool,is_deleted)
local now=now_ms()
local reclaimed,expired,is_empty=0,0,false
if pool then
reclaimed,expired,is_empty=permits_reclaim(semaphore,timeouts,leases,now)
end
if type(reclaimed)=='table' then
return reclaimed
end
local available,missing,recorded=(pool or 0)+reclaimed+expired,0,nil
if pool and is_empty then
missing,recorded=leases_missing(leases,pool,0)
available,total=available+missing,total and total+missing
end
local served,taken,retry_ms,has_left =
serve_waiters(KEYS[4],KEYS[5],ARGV[5],ARGV[6]=='1',available,counts)
available=available - taken
local life_ms,idle_ms=pool and -1 or is_deleted and -3 or -2,nil
if served>0 then
life_ms=math.max(redis.call('PTTL',semaphore),-1)
request_keep_record(requests,ARGV[2])
end
if served>0 and now % 10==0 then
leases_forget(timeouts,leases)
end
if life_ms>=0 then
idle_ms=leases_idle(leases)
end
local are_more_ahead,found_ms=false,nil
if served<#counts and pool then
are_more_ahead,found_ms=leases_bring_down(timeouts,leases,now)
end
if found_ms and served==0 then
idle_ms=found_ms
end
if idle_ms then
life_ms=-1
end
if is_empty and served>0 and recorded~=pool+missing then
leases_set_total(leases,pool+missing,life_ms)
end
if taken>0 or missing>0 then
redis.call('DECRBY',semaphore,string.format('%.0f',taken - missing))
end
for i=1,served do
permits_take(timeouts,leases,ARGV[i+7],counts[i],now,lengths[i])
end
if served>0 then
redis.call('PEXPIRE',leases,leases_ttl(life_ms))
end
if idle_ms then
permits_used(semaphore,timeouts,leases,idle_ms,now)
elseif served>0 and life_ms>0 then
redis.call('PEXPIRE',timeouts,life_ms)
end
if are_more_ahead then
retry_ms=0
elseif retry_ms<0 and served<#counts and pool then
retry_ms=permits_expiry_ms(timeouts,expired+counts[served+1] - available,now)
end
local answer=string.format('%.0f %.0f %.0f',served,retry_ms,life_ms)
if total then
answer=answer .. string.format(' %.0f',total)
end
if served>0 then
request_record(requests,number,answer)
end
if has_left then
return notify(answer,ARGV[3],ARGV[4],string.format('%.0f',math.max(available,0)))
elseif reclaimed+missing>0 then
return notify_available(answer,available,ARGV[3],ARGV[4])
end
return answer
end
return checked(KEYS,'szzzzzs',run)`,
  operands: (keys, args) => [7, keys.semaphore, keys.timeouts, keys.requests, keys.queue, keys.heartbeats, keys.leases, keys.deleted, args.number, args.lowWater, args.publish, args.channel, args.client, args.mustQueue, args.declared, ...args.claims],
  decode: text,
};

/** give a permit that was detached another id, that of its adopter. */
export const expirableSemaphoreAdopt: Script<
  { semaphore: string; timeouts: string; leases: string; queue: string; tombstone: string },
  { from: Buffer; to: Buffer; leaseMs: number },
  string
> = {
  name: 'expirable-semaphore/adopt',
  sha1: '67fbecc548f36ccb51e6771df121125fcc86c48a',
  source: `-- expirable-semaphore/adopt
${libHashFound}${libChecked}${libNowMs}${libLeasesIdle}${libLeasesLength}${libLeasesScore}${libLeasesTtl}${libZaddFor}${libLeasesWrite}${libPermitsUsed}${libPermitsRename}${libForeign}${libStoredCount}local function run()
local semaphore,timeouts,leases,from,to=KEYS[1],KEYS[2],KEYS[3],ARGV[1],ARGV[2]
local pool,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local now=now_ms()
local id,expiry=to,redis.call('ZSCORE',timeouts,to)
if not expiry and redis.call('EXISTS',KEYS[5])==0 then
id,expiry=from,redis.call('ZSCORE',timeouts,from)
end
local end_ms=tonumber(expiry or 0)
if not pool or end_ms<=now then
return '-'
end
local left_ms,life_ms =
permits_rename(semaphore,timeouts,leases,id,to,now,end_ms,tonumber(ARGV[3]))
return string.format('%.0f %.0f %.0f',left_ms,redis.call('EXISTS',KEYS[4]),life_ms)
end
return checked(KEYS,'szzzs',run)`,
  operands: (keys, args) => [5, keys.semaphore, keys.timeouts, keys.leases, keys.queue, keys.tombstone, args.from, args.to, args.leaseMs],
  decode: text,
};

/** make a semaphore with the number of permits that an object declares, or set it, and say how many are left and how many are taken; at most once per request. */
export const expirableSemaphoreConfigure: Script<
  { semaphore: string; timeouts: string; requests: string; leases: string; deleted: string; statements: string; twin: readonly string[] },
  { number: number; lowWater: number; publish: string; channel: string; setting: string },
  string
> = {
  name: 'expirable-semaphore/configure',
  sha1: 'a97510e77514598e23c148a930afdb667a90c5f7',
  source: `-- expirable-semaphore/configure
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNeedsMemory}${libNowMs}${libForeign}${libStoredCount}${libPermitsSetting}${libStatementsKnown}${libStatementsRead}${libStatementSince}${libPermitsStatement}${libLeasesTtl}${libLeasesSetTotal}${libLeasesIdle}${libLeasesMissing}${libNotify}${libNotifyAvailable}${libNotifyMade}${libPermitsRevive}${libPermitsTwinRefusal}${libSettingIdle}${libLeasesSetIdle}${libPermitsIdle}${libPermitsUsed}local function run()
local requests,number=KEYS[3],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[6]) if answer then return answer end end
local semaphore,timeouts,leases=KEYS[1],KEYS[2],KEYS[4]
local taken=redis.call('ZCARD',timeouts)
local left,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local known_ms=leases_idle(leases)
statements_known(KEYS[6])
local is_deleted=redis.call('GET',KEYS[5])
local missing=0
if left then
missing=leases_missing(leases,left,taken)
left=left+missing
end
local total=left and left+taken
local change,_,is_refused=permits_setting(ARGV[5],left,total,is_deleted)
if not left and not change then
return '0 0 0'
end
local refusal=not left and permits_twin_refusal(timeouts,unpack(KEYS,7))
if refusal then
return refusal
end
local now=now_ms()
local expired=left and redis.call('ZCOUNT',timeouts,'-inf',now) or 0
needs_memory(requests)
request_keep_record(requests,ARGV[2])
permits_revive(KEYS[5],left,is_deleted)
if not left then
redis.call('UNLINK',timeouts,leases,KEYS[5])
end
local yields_ms=-1
if string.find(ARGV[5],'^set') then
local number_set,left_ms=permits_statement(KEYS[6],ARGV[5],total or nil,now)
change,yields_ms=number_set and number_set - (total or 0),left_ms
end
local stated_ms=not is_refused and setting_idle(ARGV[5]) or nil
local idle_ms=permits_idle(semaphore,leases,stated_ms,left,known_ms)
leases_set_total(leases,(total or 0)+(change or 0),redis.call('PTTL',semaphore))
if change or missing>0 then
redis.call('INCRBY',semaphore,string.format('%.0f',(change or 0)+missing))
end
if idle_ms then
permits_used(semaphore,timeouts,leases,idle_ms,now)
end
local available=(left or 0)+(change or 0)+expired
local held=left and taken - expired or 0
local view=string.format('%.0f %.0f 1',available,held)
if yields_ms>=0 then
view=view .. string.format(' %.0f',yields_ms)
end
local answer=request_record(requests,number,view)
if not left then
return notify_made(answer,available,ARGV[3],ARGV[4])
elseif change and change>0 or missing>0 then
return notify_available(answer,available,ARGV[3],ARGV[4])
end
return answer
end
return checked(KEYS,'szzzshs',run)`,
  operands: (keys, args) => [6 + keys.twin.length, keys.semaphore, keys.timeouts, keys.requests, keys.leases, keys.deleted, keys.statements, ...keys.twin, args.number, args.lowWater, args.publish, args.channel, args.setting, 0],
  decode: text,
  untilAt: 5,
};

/** remove a semaphore with all its permits, at most once per request. */
export const expirableSemaphoreDelete: Script<
  { semaphore: string; timeouts: string; requests: string; leases: string; deleted: string; twin: readonly string[] },
  { number: number; lowWater: number },
  string
> = {
  name: 'expirable-semaphore/delete',
  sha1: 'c65997c41b9e8115149447efbfb83e3862b2bfa6',
  source: `-- expirable-semaphore/delete
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNotifyEnded}${libPermitsClients}${libPermitsOwnClient}${libForeign}${libStoredCount}${libPermitsTwinRefusal}local function run()
local requests,number=KEYS[3],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[3]) if answer then return answer end end
local semaphore,timeouts,leases=KEYS[1],KEYS[2],KEYS[4]
redis.call('ZCARD',timeouts)
redis.call('ZCARD',leases)
redis.call('GET',KEYS[5])
local left,wrong=stored_count(semaphore)
local refusal=wrong or not left and permits_twin_refusal(timeouts,unpack(KEYS,6))
if refusal then
return refusal
end
request_keep_record(requests,ARGV[2])
local clients=permits_clients(redis.call('ZRANGE',timeouts,0,499))
redis.call('SET',KEYS[5],1,'XX','PX',86400000)
local removed=redis.call('UNLINK',semaphore,timeouts)
redis.call('UNLINK',leases)
if left then
redis.call('SET',KEYS[5],1,'PX',86400000)
end
local answer=request_record(requests,number,removed>0 and '1' or '0')
return notify_ended(answer,semaphore,clients,permits_own_client(requests))
end
return checked(KEYS,'szzzss',run)`,
  operands: (keys, args) => [5 + keys.twin.length, keys.semaphore, keys.timeouts, keys.requests, keys.leases, keys.deleted, ...keys.twin, args.number, args.lowWater, 0],
  decode: text,
  untilAt: 2,
};

/** return what an acquisition took, and make sure that it never runs (again). */
export const expirableSemaphoreGiveBack: Script<
  { semaphore: string; timeouts: string; requests: string; queue: string; heartbeats: string; leases: string },
  { number: number; lowWater: number; publish: string; channel: string; client: string; leaves: number; mayRun: number; claims: readonly Buffer[] },
  number
> = {
  name: 'expirable-semaphore/give-back',
  sha1: '16f00e71677af9bd5b9aa4ab9b9df34582cfeaec',
  source: `-- expirable-semaphore/give-back
${libHashFound}${libChecked}${libZaddFor}${libRequestKeepRecord}${libRequestRecall}${libRequestRecord}${libNowMs}${libForeign}${libStoredCount}${libPermitsId}${libPermitsIds}${libPermitsCount}${libPermitsRemove}${libLeasesIdle}${libPermitsUsed}${libPermitsReturn}${libNotify}${libNotifyAvailable}local function run()
if ARGV[7]=='1' and not request_recall(KEYS[3],ARGV[1]) then
request_keep_record(KEYS[3],ARGV[2])
request_record(KEYS[3],ARGV[1],'cancelled')
end
local has_left=false
if ARGV[6]=='1' then
has_left=redis.call('ZREM',KEYS[4],ARGV[5])==1
redis.call('ZREM',KEYS[5],ARGV[5])
end
local claims={}
for i=8,#ARGV do
claims[i - 7]=ARGV[i]
end
local held,available=permits_return(KEYS[1],KEYS[2],KEYS[6],claims,has_left)
return notify_available(held,available or 0,ARGV[3],ARGV[4])
end
return checked(KEYS,'szzzzz',run)`,
  operands: (keys, args) => [6, keys.semaphore, keys.timeouts, keys.requests, keys.queue, keys.heartbeats, keys.leases, args.number, args.lowWater, args.publish, args.channel, args.client, args.leaves, args.mayRun, ...args.claims],
  decode: integer,
};

/** the permits that are taken, the first 100 to expire. */
export const expirableSemaphoreHolders: Script<
  { timeouts: string },
  Record<string, never>,
  string
> = {
  name: 'expirable-semaphore/holders',
  sha1: 'f97a60ce0a7ce0e59e7fa95149939d3ab9cb5e73',
  source: `-- expirable-semaphore/holders
${libHashFound}${libChecked}${libNowMs}local function run()
local now=now_ms()
local entries =
redis.call('ZRANGEBYSCORE',KEYS[1],'(' .. now,'+inf','WITHSCORES','LIMIT',0,100)
local texts={}
for i=1,#entries,2 do
local id=string.gsub(entries[i],'.',function(byte)
return string.format('%02x',string.byte(byte))
end)
local expiry=tonumber(entries[i+1])
local left=expiry<922337203685477 and expiry - now or -1
texts[#texts+1]=id .. ' ' .. string.format('%.0f',left)
end
return table.concat(texts,' ')
end
return checked(KEYS,'z',run)`,
  operands: (keys) => [1, keys.timeouts],
  decode: text,
};

/** how many permits of a semaphore are left and how many are taken. */
export const expirableSemaphoreInspect: Script<
  { semaphore: string; timeouts: string; leases: string },
  Record<string, never>,
  string
> = {
  name: 'expirable-semaphore/inspect',
  sha1: '81df1ffe4014e8295b2a21809c76c366843316f7',
  source: `-- expirable-semaphore/inspect
${libHashFound}${libChecked}${libNowMs}${libForeign}${libStoredCount}${libLeasesIdle}${libLeasesMissing}local function run()
local left,wrong=stored_count(KEYS[1])
if wrong then
return wrong
end
if not left then
return '0 0 0'
end
local expired=redis.call('ZCOUNT',KEYS[2],'-inf',now_ms())
local taken=redis.call('ZCARD',KEYS[2])
local missing=leases_missing(KEYS[3],left,taken)
return string.format('%.0f %.0f 1',left+missing+expired,taken - expired)
end
return checked(KEYS,'szz',run)`,
  operands: (keys) => [3, keys.semaphore, keys.timeouts, keys.leases],
  decode: text,
};

/** undo an adoption that was given up: the permit has its old id again, for another adopter. */
export const expirableSemaphorePutBack: Script<
  { semaphore: string; timeouts: string; leases: string; tombstone: string },
  { from: Buffer; to: Buffer; tombstoneMs: number },
  number
> = {
  name: 'expirable-semaphore/put-back',
  sha1: 'e8b3870d7a58f5905b02cb0edad7c7c53d3f11ba',
  source: `-- expirable-semaphore/put-back
${libHashFound}${libChecked}${libNowMs}${libLeasesIdle}${libLeasesLength}${libLeasesScore}${libLeasesTtl}${libZaddFor}${libLeasesWrite}${libPermitsUsed}${libPermitsRename}local function run()
local semaphore,timeouts,leases=KEYS[1],KEYS[2],KEYS[3]
redis.pcall('ZREM',leases,'')
redis.call('SET',KEYS[4],'1','PX',ARGV[3])
local expiry,now=tonumber(redis.call('ZSCORE',timeouts,ARGV[2]) or 0),now_ms()
if expiry<=now then
return 0
end
permits_rename(semaphore,timeouts,leases,ARGV[2],ARGV[1],now,expiry,0)
return 1
end
return checked(KEYS,'szzs',run)`,
  operands: (keys, args) => [4, keys.semaphore, keys.timeouts, keys.leases, keys.tombstone, args.from, args.to, args.tombstoneMs],
  decode: integer,
};

/** return permits that the client holds to the pool. */
export const expirableSemaphoreRelease: Script<
  { semaphore: string; timeouts: string; leases: string },
  { publish: string; channel: string; claim: Buffer; idle: readonly number[] },
  number
> = {
  name: 'expirable-semaphore/release',
  sha1: 'f6f72be2dd484a19395b71a86701169ae3b53447',
  source: `-- expirable-semaphore/release
${libHashFound}${libChecked}${libNowMs}${libForeign}${libStoredCount}${libPermitsId}${libPermitsIds}${libPermitsCount}${libPermitsRemove}${libLeasesIdle}${libPermitsUsed}${libPermitsReturn}${libNotify}${libNotifyAvailable}local function run()
local held,available =
permits_return(KEYS[1],KEYS[2],KEYS[3],{ ARGV[3] },false,unpack(ARGV,4))
return notify_available(held,available or 0,ARGV[1],ARGV[2])
end
return checked(KEYS,'szz',run)`,
  operands: (keys, args) => [3, keys.semaphore, keys.timeouts, keys.leases, args.publish, args.channel, args.claim, ...args.idle],
  decode: integer,
};

/** return a permit to the pool whoever holds it, at most once per request. */
export const expirableSemaphoreReleaseAny: Script<
  { semaphore: string; timeouts: string; requests: string; leases: string; twin: readonly string[] },
  { number: number; lowWater: number; publish: string; channel: string; claim: Buffer; idle: readonly number[] },
  string
> = {
  name: 'expirable-semaphore/release-any',
  sha1: '00416c903a67aa4eb8f3960af9c50ee49ca8623a',
  source: `-- expirable-semaphore/release-any
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNowMs}${libForeign}${libStoredCount}${libPermitsId}${libPermitsIds}${libPermitsCount}${libPermitsRemove}${libLeasesIdle}${libPermitsUsed}${libPermitsReturn}${libNotifyEnded}${libPermitsClients}${libPermitsOwnClient}${libPermitsTwinRefusal}local function run()
local requests,number=KEYS[3],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[6]) if answer then return answer end end
local refusal=redis.call('EXISTS',KEYS[1])==0
and permits_twin_refusal(KEYS[2],unpack(KEYS,5))
if refusal then
return refusal
end
request_keep_record(requests,ARGV[2])
local held,available =
permits_return(KEYS[1],KEYS[2],KEYS[4],{ ARGV[5] },false,unpack(ARGV,7))
if type(held)=='table' then
return held
end
local answer=request_record(requests,number,tostring(held))
local clients=held>0 and permits_clients({ string.sub(ARGV[5],1,16) }) or {}
local payload=(available or 0)>0 and string.format('%.0f',available)
local own=permits_own_client(requests)
return notify_ended(answer,KEYS[1],clients,own,ARGV[3],ARGV[4],payload)
end
return checked(KEYS,'szzzs',run)`,
  operands: (keys, args) => [4 + keys.twin.length, keys.semaphore, keys.timeouts, keys.requests, keys.leases, ...keys.twin, args.number, args.lowWater, args.publish, args.channel, args.claim, 0, ...args.idle],
  decode: text,
  untilAt: 5,
};

/** renew the leases of many permits at once, and say of each whether it is held. */
export const expirableSemaphoreRenew: Script<
  { keys: readonly string[] },
  { claims: readonly Buffer[] },
  string
> = {
  name: 'expirable-semaphore/renew',
  sha1: '48bc8ceabc1811f35ca7a75bd6cfb2afc558353e',
  source: `-- expirable-semaphore/renew
${libNowMs}${libLeasesLength}${libLeasesIdle}${libLeasesTtl}${libLeasesScore}${libZaddFor}${libLeasesWrite}${libLeasesSetTotal}${libPermitsUsed}local now=now_ms()
local answers={}
for i=1,#ARGV do
local semaphore,timeouts,leases=KEYS[3*i - 2],KEYS[3*i - 1],KEYS[3*i]
local permit,lease_ms=string.sub(ARGV[i],1,16),tonumber(string.sub(ARGV[i],17))
local expiry=redis.pcall('ZSCORE',timeouts,permit)
local left=redis.pcall('GET',semaphore)
local score=redis.pcall('ZSCORE',leases,permit)
local ttl=redis.call('PTTL',semaphore)
local refused=type(expiry)=='table' and expiry
or type(left)=='table' and left
or type(score)=='table' and score
if refused and not string.find(refused.err,'WRONGTYPE',1,true) then
return refused
elseif refused or left and not string.find(left,'^%-?%d+$') then
answers[i]='3'
elseif not expiry or tonumber(expiry)<=now or ttl==-2 then
answers[i]='0'
else
local idle_ms=ttl>=0 and leases_idle(leases)
if idle_ms then
ttl=-1
elseif ttl>0 then
redis.call('PEXPIRE',timeouts,ttl)
end
local end_ms=tonumber(expiry)
local length_ms=score and leases_length(tonumber(score),end_ms)
local left_ms=math.min(end_ms - now,length_ms or math.huge)
if lease_ms>left_ms then
leases_write(timeouts,leases,permit,now,lease_ms,ttl)
elseif lease_ms>0 and redis.call('PEXPIRE',leases,leases_ttl(ttl))==0 then
leases_write(timeouts,leases,permit,now,left_ms,ttl)
end
if not score and lease_ms>0 and not redis.call('ZSCORE',leases,'total') then
leases_set_total(leases,left+redis.call('ZCARD',timeouts),ttl)
end
if idle_ms and lease_ms>0 then
permits_used(semaphore,timeouts,leases,idle_ms,now)
end
local life=ttl<0 and '' or string.format('%.0f',ttl)
if lease_ms==0 then
answers[i]='1:' .. life .. ':' .. string.format('%.0f',left_ms)
else
answers[i]=ttl<0 and '1' or '1:' .. life
end
end
end
return table.concat(answers,' ')`,
  operands: (keys, args) => [keys.keys.length, ...keys.keys, ...args.claims],
  decode: text,
};

/** grow or shrink the number of permits, at most once per request. */
export const expirableSemaphoreResize: Script<
  { semaphore: string; timeouts: string; requests: string; leases: string; deleted: string; statements: string; twin: readonly string[] },
  { number: number; lowWater: number; way: string; permits: number; publish: string; channel: string; declared: string },
  string
> = {
  name: 'expirable-semaphore/resize',
  sha1: '30e0f9751601f6fc8c7ae86ac240371df4c0feb2',
  source: `-- expirable-semaphore/resize
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNeedsMemory}${libNowMs}${libForeign}${libStoredCount}${libNotify}${libNotifyAvailable}${libNotifyMade}${libLeasesTtl}${libLeasesSetTotal}${libLeasesIdle}${libLeasesMissing}${libPermitsRevive}${libPermitsTwinRefusal}${libStatementsKnown}${libStatementsRead}${libStatementSince}${libLeasesSetIdle}${libPermitsIdle}${libPermitsUsed}local function run()
local requests,number=KEYS[3],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[8]) if answer then return answer end end
local semaphore,timeouts,leases=KEYS[1],KEYS[2],KEYS[4]
local taken=redis.call('ZCARD',timeouts)
local left,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local known_ms=leases_idle(leases)
local is_stated=statements_known(KEYS[6])
local is_deleted=redis.call('GET',KEYS[5])
needs_memory(requests)
request_keep_record(requests,ARGV[2])
if not left and not is_deleted and ARGV[3]=='by' and ARGV[7]~='' then
return request_record(requests,number,'none')
end
local is_made,missing=not left,0
if left then
missing=leases_missing(leases,left,taken)
left=left+missing
end
if is_made then
local refusal=permits_twin_refusal(timeouts,unpack(KEYS,7))
if refusal then
return refusal
end
left,taken=0,0
end
local total=left+taken
local delta=ARGV[3]=='to' and ARGV[4] - total or tonumber(ARGV[4])
if total+delta>2147483647 or left+delta<-2147483648 then
return request_record(requests,number,'0')
end
if is_made then
redis.call('UNLINK',timeouts,leases,KEYS[5])
end
permits_revive(KEYS[5],not is_made,is_deleted)
local now=now_ms()
local expired=redis.call('ZCOUNT',timeouts,'-inf',now)
if is_stated and ARGV[3]=='to' then
local known=statements_read(KEYS[6],now)
local since=statement_since(known,ARGV[4],now)
redis.call('HSET',KEYS[6],ARGV[4],string.format('%.0f %.0f',since,now))
end
local declared_ms=tonumber(ARGV[7]) or 0
local stated_ms=(is_made or ARGV[3]=='to') and declared_ms>0 and declared_ms or nil
local idle_ms=permits_idle(semaphore,leases,stated_ms,not is_made,known_ms)
leases_set_total(leases,total+delta,redis.call('PTTL',semaphore))
redis.call('INCRBY',semaphore,string.format('%.0f',delta+missing))
if idle_ms then
permits_used(semaphore,timeouts,leases,idle_ms,now)
end
local answer=request_record(requests,number,'1')
if is_made then
return notify_made(answer,left+delta,ARGV[5],ARGV[6])
elseif delta+missing>0 then
return notify_available(answer,left+delta+expired,ARGV[5],ARGV[6])
end
return answer
end
return checked(KEYS,'szzzshs',run)`,
  operands: (keys, args) => [6 + keys.twin.length, keys.semaphore, keys.timeouts, keys.requests, keys.leases, keys.deleted, keys.statements, ...keys.twin, args.number, args.lowWater, args.way, args.permits, args.publish, args.channel, args.declared, 0],
  decode: text,
  untilAt: 7,
};

/** set the number of permits unless one is set, at most once per request. */
export const expirableSemaphoreTrySet: Script<
  { semaphore: string; timeouts: string; requests: string; leases: string; deleted: string; twin: readonly string[] },
  { number: number; lowWater: number; permits: number; ttlMs: number; publish: string; channel: string },
  string
> = {
  name: 'expirable-semaphore/try-set',
  sha1: '99292793e897566d6614bff515e0f3dcfae47d37',
  source: `-- expirable-semaphore/try-set
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNeedsMemory}${libNowMs}${libForeign}${libStoredCount}${libSetFor}${libNotify}${libNotifyMade}${libLeasesTtl}${libLeasesSetTotal}${libPermitsRevive}${libPermitsTwinRefusal}${libLeasesIdle}${libLeasesSetIdle}${libPermitsUsed}local function run()
local requests,number=KEYS[3],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[7]) if answer then return answer end end
local semaphore,timeouts,leases=KEYS[1],KEYS[2],KEYS[4]
redis.call('ZCARD',timeouts)
local idle_ms=leases_idle(leases)
local is_deleted=redis.call('GET',KEYS[5])
local left,wrong=stored_count(semaphore)
if wrong then
return wrong
end
needs_memory(requests)
request_keep_record(requests,ARGV[2])
permits_revive(KEYS[5],left,is_deleted)
if left and idle_ms then
permits_used(semaphore,timeouts,leases,idle_ms,now_ms())
end
if left then
return request_record(requests,number,'0')
end
local refusal=permits_twin_refusal(timeouts,unpack(KEYS,6))
if refusal then
return refusal
end
redis.call('UNLINK',timeouts,leases,KEYS[5])
local ttl_ms=tonumber(ARGV[4])
if ttl_ms<0 then
leases_set_idle(leases,-ttl_ms)
end
local life_ms=ttl_ms<0 and math.max(-ttl_ms,15000) or ttl_ms
leases_set_total(leases,tonumber(ARGV[3]),life_ms)
set_for(semaphore,ARGV[3],life_ms)
if ttl_ms<0 then
redis.call('PEXPIRE',leases,life_ms)
end
local answer=request_record(requests,number,'1')
return notify_made(answer,tonumber(ARGV[3]),ARGV[5],ARGV[6])
end
return checked(KEYS,'szzzss',run)`,
  operands: (keys, args) => [5 + keys.twin.length, keys.semaphore, keys.timeouts, keys.requests, keys.leases, keys.deleted, ...keys.twin, args.number, args.lowWater, args.permits, args.ttlMs, args.publish, args.channel, 0],
  decode: text,
  untilAt: 6,
};

/** set when a permit expires, whoever holds it, at most once per request. */
export const expirableSemaphoreUpdateLease: Script<
  { semaphore: string; timeouts: string; requests: string; leases: string },
  { number: number; lowWater: number; permit: Buffer; leaseMs: number; publish: string; channel: string },
  string
> = {
  name: 'expirable-semaphore/update-lease',
  sha1: 'bda823c4c3aa50b38543cd3e43e130bf308367b4',
  source: `-- expirable-semaphore/update-lease
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNowMs}${libForeign}${libStoredCount}${libLeasesScore}${libLeasesTtl}${libLeasesWrite}${libLeasesIdle}${libPermitsUsed}${libNotifyEnded}${libPermitsClients}${libPermitsOwnClient}local function run()
local requests,number=KEYS[3],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[7]) if answer then return answer end end
local semaphore,timeouts,leases=KEYS[1],KEYS[2],KEYS[4]
local idle_ms=leases_idle(leases)
local left,wrong=stored_count(semaphore)
if wrong then
return wrong
end
request_keep_record(requests,ARGV[2])
local now=now_ms()
local expiry=tonumber(redis.call('ZSCORE',timeouts,ARGV[3]) or 0)
if not left or expiry<=now then
return request_record(requests,number,'0')
end
local life_ms=idle_ms and -1 or redis.call('PTTL',semaphore)
leases_write(timeouts,leases,ARGV[3],now,ARGV[4],life_ms)
if idle_ms then
permits_used(semaphore,timeouts,leases,idle_ms,now)
elseif life_ms>0 then
redis.call('PEXPIRE',timeouts,life_ms)
end
local answer=request_record(requests,number,'1')
if now+ARGV[4]>=expiry then
return answer
end
local payload=string.format('%.0f',math.max(left,0))
local clients,own=permits_clients({ ARGV[3] }),permits_own_client(requests)
return notify_ended(answer,semaphore,clients,own,ARGV[5],ARGV[6],payload)
end
return checked(KEYS,'szzz',run)`,
  operands: (keys, args) => [4, keys.semaphore, keys.timeouts, keys.requests, keys.leases, args.number, args.lowWater, args.permit, args.leaseMs, args.publish, args.channel, 0],
  decode: text,
  untilAt: 6,
};

/** take hold number `count` of a fair lock, or an entry in its queue. */
export const fairLockAcquire: Script<
  { lock: string; tombstone: string; queue: string; timeouts: string; heartbeats: string; tickets: string; twinHeartbeats: readonly string[] },
  { holder: string; count: number; leaseMs: number; position: string; windowMs: number; publish: string; channel: string },
  string
> = {
  name: 'fair-lock/acquire',
  sha1: '50929f0da147b1689fba839fd85aa5243da6d268',
  source: `-- fair-lock/acquire
${libHashFound}${libChecked}${libAheadMs}${libSoleHolder}${libFairBefore}${libHeardAgain}${libHeardAt}${libFairScoreQueue}${libFairScoreAtEnd}${libZaddFor}${libFairEnterQueue}${libFairSettleQueue}${libListeners}${libOwnChannel}${libOwnListeners}${libFairFirst}${libFairCloseUp}${libFairLeaveQueue}${libFairGrant}${libFairHandsOn}${libFairPutTicket}${libHeardLast}${libFairQueueRefusal}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}${libLockAdmit}${libLockWriteHold}${libNeedsMemory}${libNotify}${libNowMs}${libTellsHolder}${libTicketsChecked}local function run()
local lock,tombstone,queue,timeouts,heartbeats,tickets =
KEYS[1],KEYS[2],KEYS[3],KEYS[4],KEYS[5],KEYS[6]
local holder,count,lease_ms,position=ARGV[1],tonumber(ARGV[2]),tonumber(ARGV[3]),ARGV[4]
local refusal,held=lock_admit(lock,tombstone,holder,count)
if type(refusal)=='table' then
return refusal
elseif refusal and refusal<-1 then
return tostring(refusal)
elseif not refusal and held>0 then
return lock_write_hold(lock,holder,held,count,lease_ms) or '+ 2 0'
end
local first=redis.call('LINDEX',queue,0)
local now=now_ms()
local is_behind=first and first~=holder
if is_behind and (position~='none' or not refusal) then
local is_shared=fair_queue_refusal(lock,queue,now,unpack(KEYS,7))
if is_shared then
return is_shared
end
end
local is_seen=nil
if position~='none' and (refusal or is_behind) then
if redis.call('EXISTS',tombstone)==1 then
return '-3'
end
tickets_checked(tickets)
needs_memory(heartbeats)
fair_enter_queue(queue,timeouts,heartbeats,holder,position=='front',now)
is_seen=ARGV[5]~='0' and fair_put_ticket(lock,tickets,holder,ARGV[5],ARGV[6])
end
local owner=nil
local function waiting(left)
if not is_seen then
return string.format('%.0f',left)
end
local at=redis.call('LINDEX',queue,-1)==holder and -1 or redis.call('LPOS',queue,holder)
local before=fair_before(lock,queue,at or 0)
local ticket=before and redis.call('HGET',tickets,before)
left=ahead_ms(left,ticket and string.match(ticket,'^%d+'))
local is_ours=before and fair_hands_on(lock,tickets,before,holder,ARGV[6]) and 1 or 0
local answer=string.format('%.0f %.0f %.0f %s',left,now,is_ours,is_seen)
local has_it=sole_holder(lock)
if
has_it
and string.sub(has_it,1,36)==string.sub(holder,1,36)
then
return answer .. ' ' .. has_it
end
owner=has_it
return answer
end
if refusal then
local answer=waiting(refusal)
if owner and tells_holder(lock,tickets,owner,holder,ARGV[6]) then
return notify(answer,ARGV[6],own_channel(owner,lock,ARGV[6]),'w' .. owner .. ' ' .. lock)
end
return answer
end
if is_behind then
local head,window_ms,left,at =
fair_first(lock,queue,timeouts,heartbeats,tickets,now,ARGV[6])
if not head and left then
return waiting(left)
end
if head and head~=holder then
if
position~='front'
or string.sub(head,1,36)~=string.sub(holder,1,36)
then
if window_ms then
local channel,message =
fair_grant(lock,queue,timeouts,heartbeats,tickets,now,head,window_ms,at,ARGV[6])
return notify(waiting(window_ms),ARGV[6],channel,message)
end
if head~=first or position=='front' then
return notify(waiting(left),ARGV[6],ARGV[7] .. ':' .. head,'0')
end
return waiting(left)
end
redis.call('ZADD',timeouts,redis.call('ZSCORE',timeouts,holder),head)
redis.call('LREM',queue,1,head)
redis.call('LINSERT',queue,'AFTER',holder,head)
end
end
if first then
needs_memory(heartbeats)
fair_leave_queue(queue,timeouts,heartbeats,tickets,holder,now)
end
return lock_write_hold(lock,holder,0,count,lease_ms) or '+ 2 0'
end
return checked(KEYS,'hslzzhz',run)`,
  operands: (keys, args) => [6 + keys.twinHeartbeats.length, keys.lock, keys.tombstone, keys.queue, keys.timeouts, keys.heartbeats, keys.tickets, ...keys.twinHeartbeats, args.holder, args.count, args.leaseMs, args.position, args.windowMs, args.publish, args.channel],
  decode: text,
};

/** free a fair lock whoever holds it, at most once per request. */
export const fairLockForceRelease: Script<
  { lock: string; requests: string; queue: string; timeouts: string; heartbeats: string; tickets: string },
  { number: number; lowWater: number; publish: string; channel: string; tombstones: string; tombstoneMs: number },
  string
> = {
  name: 'fair-lock/force-release',
  sha1: '1a01c9b7c54cf13ff5b492bfff5e96451ff802c5',
  source: `-- fair-lock/force-release
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libFairSettleQueue}${libHeardAgain}${libHeardAt}${libListeners}${libOwnChannel}${libOwnListeners}${libFairFirst}${libFairCloseUp}${libFairLeaveQueue}${libFairGrant}${libNowMs}${libFairServe}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}${libNotifyEnded}${libClientsOfHolders}${libTombstonesSet}local function run()
local requests,number=KEYS[2],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[7]) if answer then return answer end end
local lock=KEYS[1]
local wrong=lock_foreign(lock)
if wrong then
return wrong
end
request_keep_record(requests,ARGV[2])
local fields=tombstones_set(lock,ARGV[5],ARGV[6])
local clients=clients_of_holders(fields)
local own=string.sub(requests,-36)
local told=#fields>0 and fair_serve(lock,KEYS[3],KEYS[4],KEYS[5],KEYS[6],ARGV[3],ARGV[4])
if told and told.is_granted then
for i=1,#fields,2 do
redis.call('HDEL',lock,fields[i])
end
else
redis.call('DEL',lock)
end
local answer=request_record(requests,number,#fields>0 and '1' or '0')
if not told then
return notify_ended(answer,lock,clients,own)
end
return notify_ended(answer,lock,clients,own,told.command,told.channel,told.payload)
end
return checked(KEYS,'hzlzzh',run)`,
  operands: (keys, args) => [6, keys.lock, keys.requests, keys.queue, keys.timeouts, keys.heartbeats, keys.tickets, args.number, args.lowWater, args.publish, args.channel, args.tombstones, args.tombstoneMs, 0],
  decode: text,
  untilAt: 6,
};

/** state how many of a holder's holds are still alive, and free the lock at none. */
export const fairLockRelease: Script<
  { lock: string; tombstone: string; queue: string; timeouts: string; heartbeats: string; tickets: string },
  { holder: string; count: number; tombstoneMs: number; publish: string; channel: string; others: readonly string[] },
  number
> = {
  name: 'fair-lock/release',
  sha1: 'a3ece057fca507761bd0f119597b380436d365f7',
  source: `-- fair-lock/release
${libHashFound}${libChecked}${libSoleHolder}${libFairBefore}${libListeners}${libOwnChannel}${libOwnListeners}${libFairHandsOn}${libFairCloseUp}${libFairSettleQueue}${libFairLeaveQueue}${libHeardAgain}${libHeardAt}${libFairFirst}${libFairGrant}${libNowMs}${libFairServe}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}${libNeedsNoMemory}${libNotifyGranted}local function run()
local lock,queue,timeouts,heartbeats,tickets=KEYS[1],KEYS[3],KEYS[4],KEYS[5],KEYS[6]
local holder,count,tombstone_ms=ARGV[1],tonumber(ARGV[2]),tonumber(ARGV[3])
if tombstone_ms>0 then
needs_no_memory(lock)
redis.call('SET',KEYS[2],'1','PX',tombstone_ms)
end
local held=redis.pcall('HEXISTS',lock,holder)
for i=6,held==0 and #ARGV or 0 do
if redis.call('HEXISTS',lock,ARGV[i])==1 then
held,holder,ARGV[i]=1,ARGV[i],holder
end
end
local others,leaves,told={ select(6,unpack(ARGV)) },{ [holder]=count==0 },{}
for _,id in ipairs(others) do
leaves[id]=true
end
local function leave_queue(ids)
for _,id in ipairs(ids) do
local at=redis.call('LPOS',queue,id)
fair_leave_queue(queue,timeouts,heartbeats,tickets,id,now_ms())
local next=at and redis.call('LINDEX',queue,at)
if next and not leaves[next] and redis.call('HEXISTS',tickets,next)==1 then
local before=fair_before(lock,queue,at)
local hands_on=before
and (leaves[before] or fair_hands_on(lock,tickets,before,next,ARGV[4]))
if not hands_on then
told[#told+1]=own_channel(next,lock,ARGV[4])
told[#told+1]='r' .. next .. ' ' .. lock
end
end
end
end
local function serve()
local served=fair_serve(lock,queue,timeouts,heartbeats,tickets,ARGV[4],ARGV[5])
if served then
told[#told+1],told[#told+2]=served.channel,served.payload
end
return served
end
if held==1 then
local is_last=count==0 and redis.call('HLEN',lock)==1
if count>0 then
needs_no_memory(lock)
redis.call('HSET',lock,holder,count)
end
leave_queue(others)
local served=is_last and serve()
if count==0 then
redis.call('HDEL',lock,holder)
end
local result=is_last and 1 or 0
if served and served.is_granted then
result=-5
end
return notify_granted(result,ARGV[4],told)
end
local is_free=redis.call('EXISTS',lock)==0
if held==0 and not is_free then
held=lock_foreign(lock) or held
end
if count==0 then
others[#others+1]=holder
redis.call('HDEL',tickets,unpack(others))
end
local result=is_free and -2 or -1
local first=redis.call('LINDEX',queue,0)
if first then
leave_queue(others)
end
if type(held)=='table' then
return held
end
if is_free and leaves[first] then
local served=serve()
result=served and served.is_granted and -1 or -2
end
return notify_granted(result,ARGV[4],told)
end
return checked(KEYS,'hslzzh',run)`,
  operands: (keys, args) => [6, keys.lock, keys.tombstone, keys.queue, keys.timeouts, keys.heartbeats, keys.tickets, args.holder, args.count, args.tombstoneMs, args.publish, args.channel, ...args.others],
  decode: integer,
};

/** count a latch down by one, at most once per request; open it at zero. */
export const latchCountDown: Script<
  { latch: string; opened: string; requests: string },
  { number: number; lowWater: number; publish: string; channel: string },
  string
> = {
  name: 'latch/count-down',
  sha1: 'a7654fe6222b2cce98028566ad6b14abb4be44c7',
  source: `-- latch/count-down
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libForeign}${libStoredCount}${libLatchCount}${libNextMark}${libLatchOpen}${libNotify}local function run()
local requests,number=KEYS[3],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[5]) if answer then return answer end end
local latch=KEYS[1]
local count,wrong=latch_count(latch)
if wrong then
return wrong
end
request_keep_record(requests,ARGV[2])
if count>1 then
redis.call('DECR',latch)
return request_record(requests,number,string.format('%.0f',count - 1))
end
local opens=redis.call('EXISTS',latch)==1
local refused=opens and latch_open(latch,KEYS[2])
if refused then
return refused
end
request_record(requests,number,'0')
if opens then
return notify('0',ARGV[3],ARGV[4],'0')
end
return '0'
end
return checked(KEYS,'ssz',run)`,
  operands: (keys, args) => [3, keys.latch, keys.opened, keys.requests, args.number, args.lowWater, args.publish, args.channel, 0],
  decode: text,
  untilAt: 4,
};

/** remove a latch and let its waiters go, at most once per request. */
export const latchDelete: Script<
  { latch: string; opened: string; requests: string },
  { number: number; lowWater: number; publish: string; channel: string },
  string
> = {
  name: 'latch/delete',
  sha1: '0e97f1a28762e865bdd05e9279a823ca2c22a497',
  source: `-- latch/delete
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libForeign}${libStoredCount}${libLatchCount}${libNextMark}${libLatchOpen}${libNotify}local function run()
local requests,number=KEYS[3],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[5]) if answer then return answer end end
local latch=KEYS[1]
local _,wrong=latch_count(latch)
if wrong then
return wrong
end
request_keep_record(requests,ARGV[2])
if redis.call('EXISTS',latch)==0 then
return request_record(requests,number,'0')
end
local refused=latch_open(latch,KEYS[2])
if refused then
return refused
end
return notify(request_record(requests,number,'1'),ARGV[3],ARGV[4],'0')
end
return checked(KEYS,'ssz',run)`,
  operands: (keys, args) => [3, keys.latch, keys.opened, keys.requests, args.number, args.lowWater, args.publish, args.channel, 0],
  decode: text,
  untilAt: 4,
};

/** the count of a latch, how long it still lives, and what tells it from the next one. */
export const latchInspect: Script<
  { latch: string; opened: string },
  Record<string, never>,
  string
> = {
  name: 'latch/inspect',
  sha1: '15676d98029dd97e5be95e141f11fb57387ec84d',
  source: `-- latch/inspect
${libHashFound}${libChecked}${libForeign}${libStoredCount}${libLatchCount}${libNowMs}local function run()
local now=now_ms()
local count,wrong=latch_count(KEYS[1])
if wrong then
return wrong
end
local left_ms=redis.call('PTTL',KEYS[1])
return string.format('%.0f %.0f %.0f %s',count,left_ms,now,redis.call('GET',KEYS[2]) or '')
end
return checked(KEYS,'ss',run)`,
  operands: (keys) => [2, keys.latch, keys.opened],
  decode: text,
};

/** set the count of a latch unless one is set, at most once per request. */
export const latchTrySetCount: Script<
  { latch: string; opened: string; requests: string },
  { number: number; lowWater: number; count: number; ttlMs: number; publish: string; channel: string },
  string
> = {
  name: 'latch/try-set-count',
  sha1: '1a42f3f61a199fb5ff8ec8495c5bdb13e852c10b',
  source: `-- latch/try-set-count
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNeedsMemory}${libNextMark}${libForeign}${libStoredCount}${libLatchCount}${libSetFor}${libNotify}local function run()
local requests,number=KEYS[3],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[7]) if answer then return answer end end
local latch=KEYS[1]
local count,wrong=latch_count(latch)
if wrong then
return wrong
end
local mark=count==0 and next_mark(redis.call('GET',KEYS[2]))
needs_memory(requests)
request_keep_record(requests,ARGV[2])
if count>0 then
return request_record(requests,number,'0')
end
local ttl_ms=tonumber(ARGV[4])
local life_ms=ttl_ms>0 and math.max(ttl_ms,600000) or 2592000000
redis.call('SET',KEYS[2],mark,'PX',string.format('%.0f',life_ms))
set_for(latch,ARGV[3],ARGV[4])
return notify(request_record(requests,number,'1'),ARGV[5],ARGV[6],'1')
end
return checked(KEYS,'ssz',run)`,
  operands: (keys, args) => [3, keys.latch, keys.opened, keys.requests, args.number, args.lowWater, args.count, args.ttlMs, args.publish, args.channel, 0],
  decode: text,
  untilAt: 6,
};

/** take hold number `count` of a lock, or say how long its lease still runs. */
export const lockAcquire: Script<
  { lock: string; tombstone: string },
  { holder: string; count: number; leaseMs: number },
  number | null
> = {
  name: 'lock/acquire',
  sha1: '88783f0245cfbf9bc0039b175cb6fd8630c5d3b1',
  source: `-- lock/acquire
${libHashFound}${libChecked}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}${libLockAdmit}${libLockWriteHold}local function run()
local lock,holder,count=KEYS[1],ARGV[1],tonumber(ARGV[2])
local refusal,held=lock_admit(lock,KEYS[2],holder,count)
if refusal then
return refusal
end
return lock_write_hold(lock,holder,held,count,tonumber(ARGV[3]))
end
return checked(KEYS,'hs',run)`,
  operands: (keys, args) => [2, keys.lock, keys.tombstone, args.holder, args.count, args.leaseMs],
  decode: integerOrNull,
};

/** take a lock with a fencing token, or say how long its lease still runs. */
export const lockAcquireFenced: Script<
  { lock: string; tombstone: string; token: string },
  { holder: string; count: number; leaseMs: number },
  string
> = {
  name: 'lock/acquire-fenced',
  sha1: '7641153850474f3007a6decc8afd3a3cd8591ebc',
  source: `-- lock/acquire-fenced
${libHashFound}${libChecked}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}${libLockAdmit}${libLockWriteHold}${libNeedsNoMemory}${libTokenIssue}local function run()
local lock,token,holder,count=KEYS[1],KEYS[3],ARGV[1],tonumber(ARGV[2])
local refusal,held=lock_admit(lock,KEYS[2],holder,count)
if type(refusal)=='table' then
return refusal
end
if refusal then
return tostring(refusal)
end
local issued=count>1 and redis.call('GET',token)
if not issued then
if held>0 then
needs_no_memory(lock)
end
issued=token_issue(token,1)
end
if type(issued)=='table' then
return issued
end
local refused=lock_write_hold(lock,holder,held,count,tonumber(ARGV[3]))
if refused then
return refused
end
return '+' .. issued
end
return checked(KEYS,'hss',run)`,
  operands: (keys, args) => [3, keys.lock, keys.tombstone, keys.token, args.holder, args.count, args.leaseMs],
  decode: text,
};

/** give a hold that was detached to another holder id, and burn the one that had it. */
export const lockAdopt: Script<
  { lock: string; burnt: string; tombstone: string; waiting: readonly string[] },
  { from: string; to: string; leaseMs: number; tombstoneMs: number },
  string
> = {
  name: 'lock/adopt',
  sha1: 'f2416f87de9f873636cc3b32929ea246a5a19407',
  source: `-- lock/adopt
${libHashFound}${libChecked}local function run()
local lock,from,to,lease_ms=KEYS[1],ARGV[1],ARGV[2],tonumber(ARGV[3])
local has_adopted=redis.call('HEXISTS',lock,to)==1
if
not has_adopted
and (redis.call('HEXISTS',lock,from)==0 or redis.call('EXISTS',KEYS[3])==1)
then
return '-'
end
redis.call('HDEL',lock,'')
local left_ms=redis.call('PTTL',lock)
if left_ms<lease_ms then
redis.call('PEXPIRE',lock,lease_ms)
left_ms=lease_ms
end
if not has_adopted then
redis.call('SET',KEYS[2],'1','PX',ARGV[4])
redis.call('HSET',lock,to,1)
redis.call('HDEL',lock,from)
end
local is_waited_for=redis.call('EXISTS',select(4,unpack(KEYS)))>0
return string.format('%.0f %.0f',left_ms,is_waited_for and 1 or 0)
end
return checked(KEYS,'hssa',run)`,
  operands: (keys, args) => [3 + keys.waiting.length, keys.lock, keys.burnt, keys.tombstone, ...keys.waiting, args.from, args.to, args.leaseMs, args.tombstoneMs],
  decode: text,
};

/** lengthen the lease of a hold that another client is to adopt, and burn its holder id. */
export const lockDetach: Script<
  { lock: string; tombstone: string },
  { holder: string; leaseMs: number; tombstoneMs: number },
  string
> = {
  name: 'lock/detach',
  sha1: '2bdd3badd3de8c7476a7c10f49004d0edc5006e6',
  source: `-- lock/detach
${libHashFound}${libChecked}${libIsHolder}${libLockLayout}${libLockGone}${libNeedsNoMemory}local function run()
local lock=KEYS[1]
local held=redis.pcall('HEXISTS',lock,ARGV[1])
if type(held)=='table' and not string.find(held.err,'WRONGTYPE',1,true) then
return held
elseif held~=1 then
return lock_gone(lock,held)
end
needs_no_memory(lock)
redis.call('SET',KEYS[2],'1','PX',ARGV[3])
redis.call('PEXPIRE',lock,math.max(redis.call('PTTL',lock),tonumber(ARGV[2])))
return '1'
end
return checked(KEYS,'hs',run)`,
  operands: (keys, args) => [2, keys.lock, keys.tombstone, args.holder, args.leaseMs, args.tombstoneMs],
  decode: text,
};

/** take a lock, or a ticket in the line of those who wait for it. */
export const lockEnter: Script<
  { lock: string; tombstone: string; line: string; tickets: string; token: readonly string[] },
  { holder: string; leaseMs: number; windowMs: number; isListening: number; tokens: number; publish: string; replaces: string },
  string
> = {
  name: 'lock/enter',
  sha1: 'ff982a70315757883dfd9e87096a59cb72a4cba5',
  source: `-- lock/enter
${libHashFound}${libChecked}${libAheadMs}${libLineBefore}${libNowMs}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}${libLockAdmit}${libLockWriteHold}${libNeedsNoMemory}${libHeardTickets}${libLineLeave}${libListeners}${libOwnChannel}${libOwnListeners}${libLineFirst}${libTokenIssue}${libLineGrant}${libTicketsChecked}${libLinePut}${libLineReplace}${libLineStandsBack}${libOwnListening}${libTellsHolder}${libLockEnter}${libNotify}local function run()
local answer,channel,message=lock_enter(
{ KEYS[1],KEYS[2],KEYS[3],KEYS[4] },
select(5,unpack(KEYS)),
ARGV[1],
{
lease_ms=tonumber(ARGV[2]),
window_ms=ARGV[3],
is_listening=ARGV[4],
tokens=tonumber(ARGV[5]),
publish=ARGV[6],
replaces=ARGV[7],
}
)
if not message then
return answer
end
return notify(answer,ARGV[6],channel,message)
end
return checked(KEYS,'hslhs',run)`,
  operands: (keys, args) => [4 + keys.token.length, keys.lock, keys.tombstone, keys.line, keys.tickets, ...keys.token, args.holder, args.leaseMs, args.windowMs, args.isListening, args.tokens, args.publish, args.replaces],
  decode: text,
};

/** free a lock whoever holds it, at most once per request. */
export const lockForceRelease: Script<
  { lock: string; requests: string; line: string; tickets: string; token: readonly string[] },
  { number: number; lowWater: number; publish: string; channel: string; tombstones: string; tombstoneMs: number },
  string
> = {
  name: 'lock/force-release',
  sha1: '4996f4b1f1293aef96283c1de6a79df772ba5db6',
  source: `-- lock/force-release
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNeedsNoMemory}${libHeardTickets}${libLineLeave}${libListeners}${libOwnChannel}${libOwnListeners}${libLineFirst}${libTokenIssue}${libLineGrant}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}${libNowMs}${libNotifyEnded}${libClientsOfHolders}${libTombstonesSet}local function run()
local requests,number=KEYS[2],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[7]) if answer then return answer end end
local lock,line,tickets,token=KEYS[1],KEYS[3],KEYS[4],select(5,unpack(KEYS))
local wrong=lock_foreign(lock)
if wrong then
return wrong
end
request_keep_record(requests,ARGV[2])
local now=now_ms()
local first,window_ms=line_first(lock,line,tickets,now,ARGV[3])
local fields=tombstones_set(lock,ARGV[5],ARGV[6])
local clients=clients_of_holders(fields)
local own=string.sub(requests,-36)
if not first then
local answer=request_record(requests,number,tostring(redis.call('DEL',lock)))
return notify_ended(answer,lock,clients,own,ARGV[3],ARGV[4],answer=='1' and '0')
end
local channel,message=line_grant(lock,line,tickets,token,now,first,window_ms,ARGV[3])
if type(channel)=='table' then
return channel
end
for i=1,#fields,2 do
redis.call('HDEL',lock,fields[i])
end
local answer=request_record(requests,number,#fields>0 and '1' or '0')
if not message then
return notify_ended(answer,lock,clients,own,ARGV[3],ARGV[4],answer=='1' and '0')
end
return notify_ended(answer,lock,clients,own,ARGV[3],channel,message)
end
return checked(KEYS,'hzlhs',run)`,
  operands: (keys, args) => [4 + keys.token.length, keys.lock, keys.requests, keys.line, keys.tickets, ...keys.token, args.number, args.lowWater, args.publish, args.channel, args.tombstones, args.tombstoneMs, 0],
  decode: text,
  untilAt: 6,
};

/** how many holds one holder has of a lock. */
export const lockHoldCount: Script<
  { lock: string },
  { holder: string },
  number
> = {
  name: 'lock/hold-count',
  sha1: '8a113b8766f469e5b016faa86069e24c96a2caf7',
  source: `-- lock/hold-count
${libHashFound}${libChecked}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}local function run()
return lock_foreign(KEYS[1]) or tonumber(redis.call('HGET',KEYS[1],ARGV[1]) or 0)
end
return checked(KEYS,'h',run)`,
  operands: (keys, args) => [1, keys.lock, args.holder],
  decode: integer,
};

/** who holds a lock, and how long its lease still runs, page by page. */
export const lockInspect: Script<
  { lock: string },
  { cursor: string },
  string
> = {
  name: 'lock/inspect',
  sha1: '56bedf75a9f833acd8bc38ee81f3cfcc6aade4a8',
  source: `-- lock/inspect
${libHashFound}${libChecked}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}local function run()
local wrong=lock_foreign(KEYS[1])
if wrong then
return wrong
end
local page=redis.call('HSCAN',KEYS[1],ARGV[1],'COUNT',250)
local answer={ page[1],redis.call('PTTL',KEYS[1]) }
for _,part in ipairs(page[2]) do
answer[#answer+1]=part
end
return cjson.encode(answer)
end
return checked(KEYS,'h',run)`,
  operands: (keys, args) => [1, keys.lock, args.cursor],
  decode: text,
};

/** how long a lock is still held. */
export const lockLease: Script<
  { lock: string },
  Record<string, never>,
  number
> = {
  name: 'lock/lease',
  sha1: 'a392eb0ce5399df7f4fd19ddaa0710676a08d286',
  source: `-- lock/lease
${libHashFound}${libChecked}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}local function run()
return lock_foreign(KEYS[1]) or redis.call('PTTL',KEYS[1])
end
return checked(KEYS,'h',run)`,
  operands: (keys) => [1, keys.lock],
  decode: integer,
};

/** undo an adoption that was given up: the old holder id has the hold again, for another adopter. */
export const lockPutBack: Script<
  { lock: string; tombstone: string },
  { from: string; to: string; tombstoneMs: number },
  number
> = {
  name: 'lock/put-back',
  sha1: '7108f4bbb0e1fdc3fecdfad1fc4f6f2f855ddc6f',
  source: `-- lock/put-back
${libHashFound}${libChecked}${libNeedsNoMemory}local function run()
local lock=KEYS[1]
needs_no_memory(lock)
redis.call('SET',KEYS[2],'1','PX',ARGV[3])
if redis.call('HEXISTS',lock,ARGV[2])==0 then
return 0
end
redis.call('HDEL',lock,'')
redis.call('HSET',lock,ARGV[1],1)
redis.call('HDEL',lock,ARGV[2])
return 1
end
return checked(KEYS,'hs',run)`,
  operands: (keys, args) => [2, keys.lock, keys.tombstone, args.from, args.to, args.tombstoneMs],
  decode: integer,
};

/** say of the tickets of one client what has become of them; their heartbeat. */
export const lockRecheck: Script<
  { ofTickets: readonly string[] },
  { publish: string; terms: readonly string[] },
  string
> = {
  name: 'lock/recheck',
  sha1: 'd829ab4a2590114aa57b191afabf5fd6affd4281',
  source: `-- lock/recheck
${libAheadMs}${libLineBefore}${libNowMs}${libIsHolder}${libNeedsNoMemory}${libHeardTickets}${libLineLeave}${libListeners}${libOwnChannel}${libOwnListeners}${libLineFirst}${libTokenIssue}${libLineGrant}${libForeign}${libHashFound}${libTicketsChecked}${libLinePut}${libLineStandsBack}${libNotifyGranted}${libOwnListening}${libTellsHolder}local now,publish,told=now_ms(),ARGV[1],{}
local function serve(lock,line,tickets,token,holder)
local left_ms=line_stands_back(tickets,now)
if left_ms>0 then
return left_ms,0
end
local first,window_ms=line_first(lock,line,tickets,now,publish)
if not first then
return nil
end
local channel,message=line_grant(lock,line,tickets,token,now,first,window_ms,publish)
if not message then
return channel
end
if first==holder then
return tonumber(window_ms),1
end
told[#told+1],told[#told+2]=channel,message
return tonumber(window_ms),0
end
local function judge(lock,line,tickets,token,holder,lease_ms,window_ms,is_listening)
local held=redis.pcall('HEXISTS',lock,holder)
if type(held)=='table' then
return string.find(held.err,'WRONGTYPE',1,true) and '?' or held
end
local left_ms=redis.call('PTTL',lock)
local is_new=held==0
if held==0 then
if redis.call('HEXISTS',tickets,holder)==0 then
return '?'
end
local owner=left_ms~=-2 and redis.call('HRANDFIELD',lock)
if owner and (not is_holder(owner) or redis.call('HEXISTS',lock,'mode')==1) then
return '?'
end
local is_seen,is_ours=own_listening(holder,owner,lock,publish)
is_seen=line_put(line,tickets,holder,now,window_ms,is_seen,is_listening)
if type(is_seen)=='table' then
return is_seen
end
if not owner then
is_ours=1
left_ms,held=serve(lock,line,tickets,token,holder)
elseif is_ours==1 and tells_holder(lock,tickets,owner,holder,publish) then
told[#told+1],told[#told+2] =
own_channel(owner,lock,publish),'w' .. owner .. ' ' .. lock
end
if type(left_ms)=='table' then
return left_ms
elseif not left_ms then
redis.call('HDEL',tickets,holder)
return '?'
elseif held==0 then
left_ms=ahead_ms(left_ms,line_before(line,tickets,holder))
return string.format('%.0f %.0f %.0f %s',left_ms,now,is_ours,is_seen)
end
end
local issued='0'
if token and is_new then
issued=redis.call('GET',token)
elseif token then
needs_no_memory(lock)
issued=token_issue(token,16)
end
if type(issued)=='table' then
return string.find(issued.err,'WRONGTYPE',1,true) and '?'
or string.find(issued.err,'integer',1,true) and '?'
or string.find(issued.err,'overflow',1,true) and '?'
or issued
end
if lease_ms>left_ms then
redis.call('PEXPIRE',lock,lease_ms)
left_ms=lease_ms
end
return string.format('= %.0f %s',left_ms,issued)
end
local answers,at={},1
for i=2,#ARGV,5 do
local token=ARGV[i+4]=='1' and KEYS[at+3]
local holder,lease_ms=ARGV[i],tonumber(ARGV[i+1])
local lock,line,tickets=KEYS[at],KEYS[at+1],KEYS[at+2]
local answer=judge(lock,line,tickets,token,holder,lease_ms,ARGV[i+2],ARGV[i+3])
if type(answer)=='table' then
return answer
end
answers[#answers+1]=answer
at=at+(token and 4 or 3)
end
return notify_granted(table.concat(answers,','),publish,told)`,
  operands: (keys, args) => [keys.ofTickets.length, ...keys.ofTickets, args.publish, ...args.terms],
  decode: text,
};

/** state how many of a holder's holds are still alive, and free the lock at none. */
export const lockRelease: Script<
  { lock: string; tombstone: string; line: string; tickets: string; token: readonly string[] },
  { holder: string; count: number; tombstoneMs: number; publish: string; channel: string; listens: number },
  number
> = {
  name: 'lock/release',
  sha1: 'c339f9715636622618cc434b0c053e29cd4ebc17',
  source: `-- lock/release
${libHashFound}${libChecked}${libNeedsNoMemory}${libHeardTickets}${libLineLeave}${libListeners}${libOwnChannel}${libOwnListeners}${libLineFirst}${libTokenIssue}${libLineGrant}${libNowMs}${libForeign}${libIsHolder}${libTicketsChecked}${libLineTurn}${libLockLayout}${libLockForeign}${libLockRelease}${libNotify}local function run()
local result,to,message=lock_release(
{ KEYS[1],KEYS[2],KEYS[3],KEYS[4] },
select(5,unpack(KEYS)),
ARGV[1],
tonumber(ARGV[2]),
tonumber(ARGV[3]),
ARGV[4],
ARGV[5],
ARGV[6]
)
if not message then
return result
end
return notify(result,ARGV[4],to,message)
end
return checked(KEYS,'hslhs',run)`,
  operands: (keys, args) => [4 + keys.token.length, keys.lock, keys.tombstone, keys.line, keys.tickets, ...keys.token, args.holder, args.count, args.tombstoneMs, args.publish, args.channel, args.listens],
  decode: integer,
};

/** renew many leases at once, and say of each whether it is still held. */
export const lockRenew: Script<
  { locks: readonly string[] },
  { claims: readonly string[] },
  string
> = {
  name: 'lock/renew',
  sha1: '24a4f0bf2fe4593b801df0ff697066dc77e12784',
  source: `-- lock/renew
${libHashFound}${libChecked}${libIsHolder}${libLockLayout}${libLockGone}local function run()
local answers={}
for i=1,#KEYS do
local lock,holder,lease_ms=KEYS[i],ARGV[2*i - 1],tonumber(ARGV[2*i])
local held=redis.pcall('HEXISTS',lock,holder)
if type(held)=='table' and not string.find(held.err,'WRONGTYPE',1,true) then
return held
end
if held==1 then
local left=redis.call('PTTL',lock)
if lease_ms>0 then
redis.call('PEXPIRE',lock,math.max(left,lease_ms))
end
answers[i]=lease_ms==0 and left>=0 and '1::' .. left or '1'
else
answers[i]=lock_gone(lock,held)
end
end
return table.concat(answers,' ')
end
return checked(KEYS,'h',run)`,
  operands: (keys, args) => [keys.locks.length, ...keys.locks, ...args.claims],
  decode: text,
};

/** take several locks in their order, up to the first one that is not free, and a ticket in the line of that one. */
export const multiLockAcquire: Script<
  { ofLocks: readonly string[] },
  { holder: string; leaseMs: number; partMs: number; isExact: number; all: number; windowMs: number; publish: string; terms: readonly string[] },
  string
> = {
  name: 'multi-lock/acquire',
  sha1: 'c3424ae3f4fd000a17805fe3a3d557a13a13f396',
  source: `-- multi-lock/acquire
${libHashFound}${libChecked}${libLineStandsBack}${libForeign}${libIsHolder}${libLockLayout}${libLockForeign}${libLockAdmit}${libAheadMs}${libLineBefore}${libNowMs}${libLockWriteHold}${libNeedsNoMemory}${libHeardTickets}${libLineLeave}${libListeners}${libOwnChannel}${libOwnListeners}${libLineFirst}${libTokenIssue}${libLineGrant}${libTicketsChecked}${libLinePut}${libLineReplace}${libOwnListening}${libTellsHolder}${libLockEnter}${libNotifyGranted}local holder,lease_ms,part_ms=ARGV[1],tonumber(ARGV[2]),tonumber(ARGV[3])
local size=#ARGV - 7
local is_fenced=#KEYS>4*size
local function is_held(i)
return #ARGV[7+i]>1
end
local function keys_of(i)
return { KEYS[4*i - 3],KEYS[4*i - 2],KEYS[4*i - 1],KEYS[4*i] }
end
local function admit(lock,tombstone,line,tickets)
if redis.call('EXISTS',lock,tombstone,line,tickets)==0 then
return nil,0
end
local left_ms,held=lock_admit(lock,tombstone,holder,1)
if left_ms or held>0 or ARGV[5]=='1' then
return left_ms,held
end
if redis.call('EXISTS',line)==1 then
return 0
end
left_ms=line_stands_back(tickets,now_ms())
return left_ms>0 and left_ms or nil,0
end
local function are_fresh()
for i=1,size do
if is_held(i) then
return false
end
end
return redis.call('EXISTS',unpack(KEYS,1,4*size))==0
end
local counts,upto,busy={},size,0
for i=1,are_fresh() and 0 or size do
local keys=keys_of(i)
local function judge()
if is_held(i) then
return redis.call('HEXISTS',keys[1],ARGV[7+i])==0 and 'lost' or nil
end
local refusal,held=admit(unpack(keys))
counts[i]=held
return refusal
end
local refusal=checked(keys,'hslh',judge)
if type(refusal)=='table' then
local is_foreign=string.find(refusal.err,'WRONGTYPE',1,true)
return is_foreign and '!' .. i .. ' ' .. refusal.err or refusal
elseif refusal=='lost' then
return 'lost ' .. i
elseif refusal==-3 then
return '-3'
elseif refusal then
upto,busy=i - 1,i
break
end
end
local mark=ARGV[7+busy]
local wants_ticket=busy>0 and mark~='-' and ARGV[5]=='0'
if busy>0 and ARGV[5]=='1' then
upto=0
end
local is_all=upto==size
local new_ms,answer,told=is_all and lease_ms or part_ms,{ upto,busy },{}
local takes=upto>0 and not is_held(upto)
if wants_ticket or takes and (counts[upto] or 0)==0 then
redis.call('SET',keys_of(1)[2],'1','XX','KEEPTTL')
elseif takes then
needs_no_memory(keys_of(upto)[1])
end
local entered
if wants_ticket then
local keys,token=keys_of(busy),is_fenced and KEYS[4*size+busy] or nil
local function enter()
local reply,channel,message=lock_enter(keys,token,holder,{
lease_ms=part_ms,
window_ms=ARGV[6],
is_listening=mark,
tokens=1,
publish=ARGV[7],
replaces='',
})
if message then
told[1],told[2]=channel,message
end
return reply
end
entered=checked(keys,'hslh',enter)
if type(entered)=='table' then
return entered
end
end
for i=1,upto do
local token=is_fenced and not is_held(i) and KEYS[4*size+i]
local issued=token and token_issue(token,1) or '0'
if type(issued)=='table' then
return issued
end
answer[#answer+1]=issued
end
for i=1,upto do
local refused=not is_held(i)
and lock_write_hold(KEYS[4*i - 3],holder,counts[i] or 0,1,new_ms)
if refused then
return refused
end
end
local is_exact=is_all and ARGV[4]=='1'
for i=1,upto do
local lock=KEYS[4*i - 3]
if is_held(i) and (is_exact or redis.call('PTTL',lock)<new_ms) then
redis.call('PEXPIRE',lock,new_ms)
local first=is_exact and redis.pcall('LINDEX',KEYS[4*i - 1],0)
if type(first)=='string' then
local channel=own_channel(first,lock,ARGV[7])
told[#told+1],told[#told+2]=channel,'r' .. first .. ' ' .. lock
end
end
end
answer=table.concat(answer,' ')
return notify_granted(entered and answer .. '\\n' .. entered or answer,ARGV[7],told)`,
  operands: (keys, args) => [keys.ofLocks.length, ...keys.ofLocks, args.holder, args.leaseMs, args.partMs, args.isExact, args.all, args.windowMs, args.publish, ...args.terms],
  decode: text,
};

/** state for several locks how many of a holder's holds are still alive: lock/release for each of them, with one message to each who is to be notified. */
export const multiLockRelease: Script<
  { ofLocks: readonly string[] },
  { publish: string; terms: readonly string[] },
  string
> = {
  name: 'multi-lock/release',
  sha1: '4bc6cc6bc832cfacac426704d60af55bd9b09f97',
  source: `-- multi-lock/release
${libHashFound}${libChecked}${libListeners}${libNeedsNoMemory}${libHeardTickets}${libLineLeave}${libOwnChannel}${libOwnListeners}${libLineFirst}${libTokenIssue}${libLineGrant}${libNowMs}${libForeign}${libIsHolder}${libTicketsChecked}${libLineTurn}${libLockLayout}${libLockForeign}${libLockRelease}${libNotifyGranted}local publish,size=ARGV[1],(#ARGV - 1)/5
local results,told={},{}
local function release_one(i)
local key,term=4*i - 3,5*i - 3
local keys={ KEYS[key],KEYS[key+1],KEYS[key+2],KEYS[key+3] }
local token=KEYS[4*size+i]
local function release()
local result,to,message=lock_release(
keys,
token,
ARGV[term],
tonumber(ARGV[term+1]),
tonumber(ARGV[term+2]),
publish,
ARGV[term+3],
ARGV[term+4]
)
if message then
told[#told+1],told[#told+2]=to,message
end
return result
end
return checked(keys,'hslh',release)
end
local function are_quiet()
local lines,channels,stands_back={},{},false
for i=1,size do
local term=5*i - 3
if ARGV[term+1]~='0' or ARGV[term+2]~='0' then
return false
end
lines[i],channels[i]=KEYS[4*i - 1],ARGV[term+3]
stands_back=ARGV[term+4]~='-1'
end
if redis.call('EXISTS',unpack(lines))>0 then
return false
end
local answer=stands_back and listeners(publish,unpack(channels)) or {}
for i=1,size do
local term=5*i - 3
if (answer[2*i] or 0)>math.max(0,ARGV[term+4]) then
return false
end
end
return true
end
local function is_freed(i)
local lock,term=KEYS[4*i - 3],5*i - 3
if redis.pcall('HLEN',lock)~=1 or redis.pcall('HDEL',lock,ARGV[term])~=1 then
return false
end
told[#told+1],told[#told+2]=ARGV[term+3],'0'
return true
end
local are_all_quiet=are_quiet()
for i=1,size do
local result=are_all_quiet and is_freed(i) and 1 or release_one(i)
if type(result)=='table' then
if i==1 and not string.find(result.err,'WRONGTYPE',1,true) then
return result
end
result='!' .. string.gsub(result.err,'\\n',' ')
end
results[i]=result
end
return notify_granted(table.concat(results,'\\n'),publish,told)`,
  operands: (keys, args) => [keys.ofLocks.length, ...keys.ofLocks, args.publish, ...args.terms],
  decode: text,
};

/** raise the counters of fenced locks to the tokens of their holder, where that still holds them. */
export const quorumRaiseTokens: Script<
  { locks: readonly string[] },
  { holder: string; tokens: readonly string[] },
  number
> = {
  name: 'quorum/raise-tokens',
  sha1: '940703eb8d380ecd5b151987f62c06dfbd3dd131',
  source: `-- quorum/raise-tokens
local holder=ARGV[1]
for i=1,#KEYS,2 do
if redis.call('HEXISTS',KEYS[i],holder)==0 then
return 0
end
end
for i=2,#KEYS,2 do
local token=ARGV[1+i/2]
local counter=redis.call('GET',KEYS[i]) or '0'
local is_larger=#token>#counter or #token==#counter and token>counter
if is_larger then
redis.call('SET',KEYS[i],token)
end
end
return 1`,
  operands: (keys, args) => [keys.locks.length, ...keys.locks, args.holder, ...args.tokens],
  decode: integer,
};

/** make sure that a request that was given up never runs, or say what it did. */
export const requestsCancel: Script<
  { requests: string },
  { number: number; lowWater: number },
  string
> = {
  name: 'requests/cancel',
  sha1: '2b2c703aa04390a3bdd7a55a81f0508823bdf6f1',
  source: `-- requests/cancel
${libHashFound}${libChecked}${libZaddFor}${libRequestKeepRecord}${libRequestRecall}${libRequestRecord}local function run()
local answer=request_recall(KEYS[1],ARGV[1])
if answer then
return answer
end
request_keep_record(KEYS[1],ARGV[2])
return request_record(KEYS[1],ARGV[1],'cancelled')
end
return checked(KEYS,'z',run)`,
  operands: (keys, args) => [1, keys.requests, args.number, args.lowWater],
  decode: text,
};

/** forget the answers of requests that are settled, after many were recorded at once. */
export const requestsTrim: Script<
  { requests: string },
  { lowWater: number },
  number
> = {
  name: 'requests/trim',
  sha1: 'af19f0cc20660d484332165e3de211abcab1505c',
  source: `-- requests/trim
${libHashFound}${libChecked}${libZaddFor}local function run()
local requests=KEYS[1]
if redis.call('EXISTS',requests)==0 then
return 0
end
zadd_for(requests,1800000,'LT','-' .. ARGV[1],'floor')
local floor=redis.call('ZSCORE',requests,'floor')
local low_water=string.sub(floor,2)
if redis.call('ZCOUNT',requests,low_water,'+inf')>0 then
redis.call('ZREMRANGEBYSCORE',requests,'0','(' .. low_water)
else
redis.call('UNLINK',requests)
zadd_for(requests,1800000,floor,'floor')
end
return 1
end
return checked(KEYS,'z',run)`,
  operands: (keys, args) => [1, keys.requests, args.lowWater],
  decode: integer,
};

/** admit readers, or say how long each has to wait. */
export const rwlockAcquireRead: Script<
  { lock: string; readers: string; writers: string; waiting: string; heartbeats: string; tickets: string; ofClaims: readonly string[] },
  { client: string; position: string; publish: string; channel: string; rest: number; claims: readonly string[] },
  string
> = {
  name: 'rwlock/acquire-read',
  sha1: '3834f96ffe1541892c411eb661efa981aca9912a',
  source: `-- rwlock/acquire-read
${libHashFound}${libChecked}${libAheadMs}${libEndsScore}${libZaddFor}${libQueueHeartbeat}${libRankNew}${libRwBefore}${libRwKeepHolds}${libNeedsMemory}${libHeardAgain}${libHeardAt}${libListeners}${libOwnChannel}${libOwnListeners}${libRwLeaveLine}${libRwFirstWriter}${libForeign}${libIsHolder}${libLockLayout}${libRwMode}${libRwOwner}${libLineStandsBack}${libRwGrant}${libQueueFirst}${libRwNextWriter}${libRwServe}${libTicketsChecked}${libRwStopsWaiting}${libRwSweep}${libNotify}local function run()
local lock,readers,waiting,heartbeats=KEYS[1],KEYS[2],KEYS[4],KEYS[5]
local keys={
lock=lock,
readers=readers,
writers=KEYS[3],
waiting=waiting,
heartbeats=heartbeats,
tickets=KEYS[6],
publish=ARGV[3],
}
local client=ARGV[1]
local time=redis.call('TIME')
local micros=time[1]*1000000+time[2]
local now=math.floor(micros/1000)
local mode=rw_mode(lock)
if type(mode)=='table' then
return mode
end
local freed=rw_sweep(lock,readers,now)
mode=not freed and mode
local writer,writer_since,writer_ms
if mode~='write' then
writer,writer_since,writer_ms=rw_first_writer(keys,now,false)
end
local new_since,is_short=nil,false
local before_since=0
local function waits_since(since)
if since>micros or since==0 then
new_since=new_since or rank_new(micros,keys.writers,waiting)
end
since=since==0 and new_since or math.min(since,new_since or since)
before_since=math.max(since,before_since)
return before_since
end
local has_writers=nil
local function again_ms(left_ms,since)
if has_writers==nil then
has_writers=redis.call('EXISTS',keys.writers)==1
end
return ahead_ms(left_ms,has_writers and rw_before(keys,waits_since(since)) or nil)
end
local function refusal(count,since,writer_beside,tombstone)
local is_beside=mode=='write' and redis.call('HEXISTS',lock,writer_beside .. ':write')==1
if (count>1 or writer_beside~='') and not is_beside then
return mode and -4 or -2
end
if redis.call('EXISTS',tombstone)==1 then
return -3
end
if is_beside then
return nil
end
if mode=='write' then
return again_ms(redis.call('PTTL',lock),since)
end
local is_behind=writer and writer_since<waits_since(since)
return is_behind and again_ms(writer_ms,since) or nil
end
if ARGV[2]~='none' then
redis.call('ZCARD',waiting)
redis.call('ZCARD',heartbeats)
end
if ARGV[2]=='queue' then
needs_memory(waiting)
redis.call('ZREM',waiting,'')
end
local answers,earliest,key={},nil,7
for i=6,#ARGV,5 do
local reader,count,lease_ms=ARGV[i],tonumber(ARGV[i+1]),tonumber(ARGV[i+2])
local since=tonumber(ARGV[i+3])
local held=tonumber(redis.call('HGET',lock,reader) or 0)
local code=held==0 and refusal(count,since,ARGV[i+4],KEYS[key]) or nil
if code then
answers[#answers+1]=string.format('%.0f',code)
if code>=-1 then
since=waits_since(since)
earliest=math.min(earliest or since,since)
end
else
needs_memory(readers)
if not mode then
redis.call('UNLINK',readers)
end
mode=mode or 'read'
local longest_ms=math.max(redis.call('PTTL',lock),lease_ms)
zadd_for(readers,longest_ms,'GT',ends_score(now,lease_ms),reader)
local made=rw_keep_holds(KEYS,key+1,key+2,lease_ms)
local written=redis.pcall('HSET',lock,'mode',mode,reader,math.max(held,count))
if type(written)=='table' then
for _,hold in ipairs(made) do
redis.call('PEXPIRE',hold,0)
end
return written
end
redis.call('PEXPIRE',lock,longest_ms)
answers[#answers+1]='T'
is_short=is_short or lease_ms<4000/3
end
key=key+3
end
local rest=tonumber(ARGV[5])
if rest>0 then
rest=waits_since(rest)
earliest=math.min(earliest or rest,rest)
end
local owner=nil
if earliest and ARGV[2]~='none' then
local before=tonumber(redis.call('ZSCORE',waiting,client) or 0)
freed=freed or ARGV[2]=='queue' and not mode and before>0 and before<earliest
if ARGV[2]=='queue' or before==0 or before>earliest then
zadd_for(waiting,600000,earliest,client)
else
redis.call('PEXPIRE',waiting,600000)
end
queue_heartbeat(heartbeats,client,now)
if before==0 then
redis.call('HDEL',keys.tickets,client)
owner=mode=='write' and rw_owner(lock)
end
elseif ARGV[2]=='queue' then
rw_stops_waiting(keys,client,now)
end
table.insert(answers,1,string.format('%.0f',new_since or micros))
local answer=table.concat(answers,' ')
if owner and own_listeners(owner,lock,ARGV[3])>0 then
local channel=own_channel(owner,lock,ARGV[3])
local letter=string.sub(owner,1,36)==client and 'n' or 'o'
return notify(answer,ARGV[3],channel,letter .. owner .. ' ' .. lock)
end
local channel,message=nil,nil
if not mode then
channel,message=rw_serve(keys,now)
end
if channel then
return notify(answer,ARGV[3],channel,message)
elseif freed then
return notify(answer,ARGV[3],ARGV[4],'0')
elseif is_short and writer then
return notify(answer,ARGV[3],own_channel(writer,lock,ARGV[3]),'r' .. writer .. ' ' .. lock)
end
return answer
end
return checked(KEYS,'hzzzzhs',run)`,
  operands: (keys, args) => [6 + keys.ofClaims.length, keys.lock, keys.readers, keys.writers, keys.waiting, keys.heartbeats, keys.tickets, ...keys.ofClaims, args.client, args.position, args.publish, args.channel, args.rest, ...args.claims],
  decode: text,
};

/** take hold number `count` of the write lock, or say how long to wait. */
export const rwlockAcquireWrite: Script<
  { lock: string; tombstone: string; readers: string; writers: string; waiting: string; heartbeats: string; tickets: string },
  { holder: string; count: number; leaseMs: number; position: string; windowMs: number; isListening: number; publish: string; channel: string; stem: string; replaces: string; rank: number },
  string
> = {
  name: 'rwlock/acquire-write',
  sha1: '501eab63c1aaa0bb3f77d97f2b5c27000496b194',
  source: `-- rwlock/acquire-write
${libHashFound}${libChecked}${libAheadMs}${libLineStandsBack}${libLockWriteHold}${libNeedsMemory}${libNotify}${libOwnChannel}${libListeners}${libOwnListening}${libHeardAgain}${libHeardAt}${libQueueFirst}${libZaddFor}${libQueueHeartbeat}${libRankNew}${libRwBefore}${libOwnListeners}${libRwLeaveLine}${libRwFirstWriter}${libRwGrant}${libForeign}${libIsHolder}${libLockLayout}${libRwMode}${libRwOwner}${libRwPutTicket}${libEndsLeft}${libEndsAgain}${libRwLast}${libRwLeft}${libRwReaders}${libRwReplace}${libRwSweep}${libTellsHolder}${libTicketsChecked}local function run()
local keys={
lock=KEYS[1],
readers=KEYS[3],
writers=KEYS[4],
waiting=KEYS[5],
heartbeats=KEYS[6],
tickets=KEYS[7],
publish=ARGV[7],
}
local lock,holder,count,lease_ms=keys.lock,ARGV[1],tonumber(ARGV[2]),tonumber(ARGV[3])
local field,has_ticket=holder .. ':write',ARGV[5]~='0'
local function write_first_hold()
redis.call('PEXPIRE',lock,lease_ms)
redis.call('HSET',lock,'mode','write',field,count)
redis.call('PEXPIRE',lock,lease_ms)
end
if
count==1
and redis.call('EXISTS',lock,KEYS[2],keys.readers,keys.writers,keys.waiting,keys.tickets)
== 0
then
needs_memory(keys.readers)
write_first_hold()
return '+ 0 0'
end
local time=redis.call('TIME')
local micros=time[1]*1000000+time[2]
local now=math.floor(micros/1000)
local mode=rw_mode(lock)
if type(mode)=='table' then
return mode
end
local freed=rw_sweep(lock,keys.readers,now)
mode=not freed and mode
local function kept_ms()
if mode=='write' then
return redis.call('PTTL',lock)
end
local left_ms=mode and rw_readers(lock,keys.readers,now,ARGV[9])
if left_ms then
return left_ms
end
freed=freed or mode=='read'
mode=false
return nil
end
local function behind_ms()
local back_ms=has_ticket and line_stands_back(keys.tickets,now) or 0
if back_ms>0 then
return back_ms
end
local reader,reader_since,reader_ms=queue_first(keys.waiting,keys.heartbeats,now)
local first,since,_,window_ms=rw_first_writer(keys,now,true)
if first and first~=holder and has_ticket and not (reader and reader_since<since) then
return tonumber(window_ms),first,window_ms,reader and 1 or 0
end
local own_since=tonumber(redis.call('ZSCORE',keys.writers,holder) or math.huge)
return reader and reader_since<own_since and reader_ms or nil
end
local told_channel,message=nil,nil
local function waits(left_ms)
if ARGV[4]~='queue' then
return string.format('%.0f',left_ms)
end
redis.call('ZCARD',keys.heartbeats)
tickets_checked(keys.tickets)
local rank=rank_new(micros,keys.writers,keys.waiting)
zadd_for(keys.writers,600000,'NX',rank,holder)
queue_heartbeat(keys.heartbeats,holder,now)
if not has_ticket then
return string.format('%.0f',left_ms)
end
local owner=mode=='write' and rw_owner(lock)
local is_seen,is_ours=own_listening(holder,owner,lock,keys.publish)
local may_tell=rw_put_ticket(keys.tickets,holder,now,ARGV[5],is_seen,ARGV[6])
if mode=='read' then
is_ours=redis.call('HLEN',lock) - 1<=redis.call('ZCARD',keys.readers) and 1 or 0
elseif not owner then
is_ours=mode=='write' and 0 or 1
elseif
is_ours==1
and may_tell
and tells_holder(lock,keys.tickets,owner,holder,keys.publish)
then
told_channel=own_channel(owner,lock,keys.publish)
message='w' .. owner .. ' ' .. lock
end
local since=tonumber(redis.call('ZSCORE',keys.writers,holder) or rank)
left_ms=ahead_ms(left_ms,rw_before(keys,since))
return string.format('%.0f %.0f %.0f %.0f',left_ms,now,is_ours,is_seen)
end
local function granted(held)
local others=redis.call('EXISTS',keys.tickets)
if queue_first(keys.waiting,keys.heartbeats,now) then
others=2
end
needs_memory(keys.readers)
redis.call('ZREM',keys.writers,'')
redis.call('HDEL',keys.tickets,'')
if held>0 then
lock_write_hold(lock,field,held,count,lease_ms)
else
redis.call('UNLINK',keys.readers)
write_first_hold()
end
rw_leave_line(keys,holder)
return string.format('+ %.0f 0',others)
end
local function granted_in_place(old)
redis.call('HDEL',lock,'')
local answer=granted(1)
redis.call('PEXPIRE',lock,lease_ms)
redis.call('HSET',lock,field,1)
redis.call('HDEL',lock,old)
return answer
end
local function refusal()
if count>1 then
return mode and '-4' or '-2'
end
if redis.call('EXISTS',KEYS[2])==1 then
return '-3'
end
if ARGV[10]~='' then
if redis.call('HEXISTS',lock,ARGV[10] .. ':write')==1 then
return granted_in_place(ARGV[10] .. ':write')
end
local is_behind=rw_replace(keys,ARGV[10],holder,tonumber(ARGV[11]),micros)
freed=freed or is_behind and mode~='write'
end
local left_ms,first,window_ms,readers_wait=kept_ms(),nil,nil,nil
if not left_ms then
left_ms,first,window_ms,readers_wait=behind_ms()
end
local answer=left_ms and waits(left_ms)
if first then
told_channel,message=rw_grant(keys,now,first,window_ms,readers_wait)
end
return answer
end
local held=tonumber(redis.call('HGET',lock,field) or 0)
local answer=held==0 and refusal() or granted(held)
if message then
return notify(answer,ARGV[7],told_channel,message)
elseif freed then
return notify(answer,ARGV[7],ARGV[8],'0')
end
return answer
end
return checked(KEYS,'hszzzzh',run)`,
  operands: (keys, args) => [7, keys.lock, keys.tombstone, keys.readers, keys.writers, keys.waiting, keys.heartbeats, keys.tickets, args.holder, args.count, args.leaseMs, args.position, args.windowMs, args.isListening, args.publish, args.channel, args.stem, args.replaces, args.rank],
  decode: text,
};

/** free a read-write lock whoever holds it in one mode, at most once per request. */
export const rwlockForceRelease: Script<
  { lock: string; requests: string; readers: string; writers: string; waiting: string; heartbeats: string; tickets: string },
  { number: number; lowWater: number; mode: string; publish: string; channel: string; stem: string; tombstones: string; tombstoneMs: number },
  string
> = {
  name: 'rwlock/force-release',
  sha1: '59934b3dd8511b8c774bb204abd50b3e2f2ae6eb',
  source: `-- rwlock/force-release
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNowMs}${libForeign}${libIsHolder}${libLockLayout}${libRwMode}${libOwnChannel}${libRwLeaveLine}${libRwGrant}${libHeardAgain}${libHeardAt}${libQueueFirst}${libListeners}${libOwnListeners}${libRwFirstWriter}${libRwNextWriter}${libRwSweep}${libNotifyEnded}${libClientsOfHolders}${libTombstonesSet}local function run()
local requests,number=KEYS[2],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[9]) if answer then return answer end end
local keys={
lock=KEYS[1],
readers=KEYS[3],
writers=KEYS[4],
waiting=KEYS[5],
heartbeats=KEYS[6],
tickets=KEYS[7],
publish=ARGV[4],
}
local lock,readers,now=KEYS[1],KEYS[3],now_ms()
request_keep_record(requests,ARGV[2])
local mode=rw_mode(lock)
if type(mode)=='table' then
return mode
end
local freed=rw_sweep(lock,readers,now)
mode=not freed and mode
local is_held,clients=mode==ARGV[3],{}
local id,window_ms,readers_wait=nil,nil,nil
if (is_held or freed) and redis.call('EXISTS',keys.writers)==1 then
id,window_ms,readers_wait=rw_next_writer(keys,now)
end
if is_held then
local fields,hold_keys=tombstones_set(lock,ARGV[7],ARGV[8]),{}
clients=clients_of_holders(fields)
for i=1,#fields,2 do
local stem=ARGV[6] .. fields[i] .. ':rwlock_timeout:'
for hold=1,math.min(tonumber(fields[i+1]) or 0,100,500 - #hold_keys) do
hold_keys[#hold_keys+1]=stem .. hold
end
end
if id then
redis.call('HSET',lock,'mode',mode)
redis.call('ZREM',keys.writers,'')
redis.call('HDEL',keys.tickets,'')
redis.call('DEL',readers)
end
redis.call('UNLINK',lock,readers,unpack(hold_keys))
end
local answer=request_record(requests,number,is_held and '1' or '0')
local own=string.sub(requests,-36)
if id then
local channel,message=rw_grant(keys,now,id,window_ms,readers_wait)
return notify_ended(answer,lock,clients,own,ARGV[4],channel,message)
end
local payload=(is_held or freed) and (mode=='write' and '1' or '0')
return notify_ended(answer,lock,clients,own,ARGV[4],ARGV[5],payload)
end
return checked(KEYS,'hzzzzzh',run)`,
  operands: (keys, args) => [7, keys.lock, keys.requests, keys.readers, keys.writers, keys.waiting, keys.heartbeats, keys.tickets, args.number, args.lowWater, args.mode, args.publish, args.channel, args.stem, args.tombstones, args.tombstoneMs, 0],
  decode: text,
  untilAt: 8,
};

/** how many holds one holder has of a read-write lock. */
export const rwlockHoldCount: Script<
  { lock: string; readers: string },
  { holder: string; stem: string },
  number
> = {
  name: 'rwlock/hold-count',
  sha1: '13919d96376d1d5e448797fa7783bce94c8471a8',
  source: `-- rwlock/hold-count
${libHashFound}${libChecked}${libNowMs}${libEndsLeft}${libRwLeft}${libForeign}${libIsHolder}${libLockLayout}${libRwMode}local function run()
local lock,readers,holder=KEYS[1],KEYS[2],ARGV[1]
local mode=rw_mode(lock)
if type(mode)=='table' then
return mode
end
local holds=redis.call('HGET',lock,holder)
if not holds then
return 0
end
if
string.sub(holder,-6)~=':write' and rw_left(readers,holder,holds,now_ms(),ARGV[2])<=0
then
return 0
end
return tonumber(holds)
end
return checked(KEYS,'hz',run)`,
  operands: (keys, args) => [2, keys.lock, keys.readers, args.holder, args.stem],
  decode: integer,
};

/** who holds a read-write lock, and how long each lease still runs, page by page. */
export const rwlockInspect: Script<
  { lock: string; readers: string },
  { cursor: string; stem: string },
  string
> = {
  name: 'rwlock/inspect',
  sha1: '6a209d7da4a6a4221da87fe74c330d97406557c5',
  source: `-- rwlock/inspect
${libHashFound}${libChecked}${libNowMs}${libEndsLeft}${libRwLeft}${libForeign}${libIsHolder}${libLockLayout}${libRwMode}local function run()
local lock,readers,now=KEYS[1],KEYS[2],now_ms()
local mode=rw_mode(lock)
if type(mode)=='table' then
return mode
end
local page=redis.call('HSCAN',lock,ARGV[1],'COUNT',250)
local fields,answer=page[2],{ page[1] }
for i=1,#fields,2 do
local holder,holds=fields[i],fields[i+1]
local left=0
if string.sub(holder,-6)==':write' then
left=redis.call('PTTL',lock)
elseif holder~='mode' then
left=math.max(0,rw_left(readers,holder,holds,now,ARGV[2]))
end
if left~=0 then
for _,part in ipairs({ holder,holds,string.format('%.0f',left) }) do
answer[#answer+1]=part
end
end
end
return cjson.encode(answer)
end
return checked(KEYS,'hz',run)`,
  operands: (keys, args) => [2, keys.lock, keys.readers, args.cursor, args.stem],
  decode: text,
};

/** how long one side of a read-write lock is still held. */
export const rwlockLease: Script<
  { lock: string; readers: string },
  { side: string; cursor: string; enoughMs: number; stem: string },
  string
> = {
  name: 'rwlock/lease',
  sha1: 'a6c840097f0dbb585ea95c7d15ff0a7d3d67e608',
  source: `-- rwlock/lease
${libHashFound}${libChecked}${libNowMs}${libEndsLeft}${libRwLast}${libRwLeft}${libForeign}${libIsHolder}${libLockLayout}${libRwMode}local function run()
local lock,readers,now=KEYS[1],KEYS[2],now_ms()
local mode=rw_mode(lock)
if type(mode)=='table' then
return mode
end
local ttl=redis.call('PTTL',lock)
if ARGV[1]=='write' then
return '0 ' .. (mode=='write' and ttl or -2)
end
local enough=math.min(tonumber(ARGV[3]),ttl>0 and ttl - 1 or math.huge)
local longest=ARGV[2]=='0' and rw_last(lock,readers,now) or -2
if
longest>=enough
or longest>0 and redis.call('HLEN',lock) - 1==redis.call('ZCARD',readers)
then
return '0 ' .. string.format('%.0f',longest)
end
local page=redis.call('HSCAN',lock,ARGV[2],'COUNT',250)
local cursor,fields=page[1],page[2]
for i=1,#fields,2 do
local reader=fields[i]
if reader~='mode' and string.sub(reader,-6)~=':write' then
local left=rw_left(readers,reader,fields[i+1],now,ARGV[4])
if left>0 and left>longest then
longest=left
end
if longest>=enough then
cursor='0'
break
end
end
end
return cursor .. ' ' .. string.format('%.0f',longest)
end
return checked(KEYS,'hz',run)`,
  operands: (keys, args) => [2, keys.lock, keys.readers, args.side, args.cursor, args.enoughMs, args.stem],
  decode: text,
};

/** take a client, whose readers have all stopped waiting, out of the wait queue. */
export const rwlockLeaveQueue: Script<
  { lock: string; readers: string; writers: string; waiting: string; heartbeats: string; tickets: string },
  { client: string; publish: string; channel: string },
  number
> = {
  name: 'rwlock/leave-queue',
  sha1: 'b39c63e6452a6cfdaa31b122e991abb713670399',
  source: `-- rwlock/leave-queue
${libHashFound}${libChecked}${libNotify}${libNowMs}${libLineStandsBack}${libOwnChannel}${libRwLeaveLine}${libRwGrant}${libHeardAgain}${libHeardAt}${libQueueFirst}${libListeners}${libOwnListeners}${libRwFirstWriter}${libRwNextWriter}${libRwServe}${libForeign}${libIsHolder}${libTicketsChecked}${libRwStopsWaiting}local function run()
local keys={
lock=KEYS[1],
readers=KEYS[2],
writers=KEYS[3],
waiting=KEYS[4],
heartbeats=KEYS[5],
tickets=KEYS[6],
publish=ARGV[2],
}
local is_free=redis.call('EXISTS',keys.lock)==0
local now=now_ms()
if not rw_stops_waiting(keys,ARGV[1],now) then
return 0
end
if not is_free then
return 1
end
local channel,message=rw_serve(keys,now)
if channel then
return notify(1,ARGV[2],channel,message)
end
return notify(1,ARGV[2],ARGV[3],'0')
end
return checked(KEYS,'hzzzzh',run)`,
  operands: (keys, args) => [6, keys.lock, keys.readers, keys.writers, keys.waiting, keys.heartbeats, keys.tickets, args.client, args.publish, args.channel],
  decode: integer,
};

/** state how many of a reader's holds are still alive; the last reader that leaves frees the lock. */
export const rwlockReleaseRead: Script<
  { lock: string; tombstone: string; readers: string; writers: string; waiting: string; heartbeats: string; tickets: string; holds: readonly string[] },
  { holder: string; count: number; tombstoneMs: number; listens: number; publish: string; channel: string; stem: string; others: readonly string[] },
  number
> = {
  name: 'rwlock/release-read',
  sha1: 'ce8217eaadde9b4f66cc4e46f62116714ee4f096',
  source: `-- rwlock/release-read
${libHashFound}${libChecked}${libNeedsNoMemory}${libNotify}${libNowMs}${libOwnChannel}${libHeardAgain}${libHeardAt}${libListeners}${libOwnListeners}${libRwLeaveLine}${libRwFirstWriter}${libRwGrant}${libEndsLeft}${libRwIsAlive}${libForeign}${libIsHolder}${libLockLayout}${libRwMode}${libQueueFirst}${libRwNextWriter}${libEndsAgain}${libRwLast}${libRwLeft}${libRwReaders}${libHeardTickets}${libTicketsChecked}${libLineTurn}${libRwTurn}${libRwUntoldWriter}local function run()
local keys={
lock=KEYS[1],
readers=KEYS[3],
writers=KEYS[4],
waiting=KEYS[5],
heartbeats=KEYS[6],
tickets=KEYS[7],
publish=ARGV[5],
}
local lock,tombstone,readers=KEYS[1],KEYS[2],KEYS[3]
local holder,count,tombstone_ms=ARGV[1],tonumber(ARGV[2]),tonumber(ARGV[3])
local first,others_at=8,#KEYS - 2*(#ARGV - 7)
if tombstone_ms>0 then
needs_no_memory(lock)
redis.call('SET',tombstone,'1','PX',tombstone_ms)
for i=others_at+1,#KEYS,2 do
redis.call('SET',KEYS[i],'1','PX',tombstone_ms)
end
end
local holds={ unpack(KEYS,first,others_at) }
local own=#holds
for i=others_at+2,#KEYS,2 do
holds[#holds+1]=KEYS[i]
end
local mode=redis.pcall('HGET',lock,'mode')
local is_overwritten=type(mode)=='table' and string.find(mode.err,'WRONGTYPE',1,true)
local ids,now={ holder,select(8,unpack(ARGV)) },now_ms()
local leaving,had,alive={},{},false
for i=1,is_overwritten and 0 or #ids do
local held=redis.call('HGET',lock,ids[i])
if held then
leaving[#leaving+1]=ids[i]
had[#had+1],had[#had+2]=ids[i],held
alive=alive or rw_is_alive(readers,ids[i],holds[i==1 and 1 or own+i - 1],now)
end
end
if #leaving==0 then
redis.call('ZREM',readers,unpack(ids))
redis.call('DEL',unpack(holds))
local found=rw_mode(lock)
return type(found)=='table' and found or mode=='write' and -1 or -2
end
local stays=alive and count>0
local function next_writer()
local id,window_ms,readers_wait,is_reader_first=nil,nil,nil,false
if redis.call('EXISTS',keys.writers)==1 then
id,window_ms,readers_wait,is_reader_first=rw_next_writer(keys,now)
end
if is_reader_first or not alive then
return id,window_ms,readers_wait,false
end
local client=string.sub(holder,1,36)
local is_opened=rw_turn(keys,id~=nil,client,ARGV[4],ARGV[5],ARGV[6],now)
return not is_opened and id or nil,window_ms,readers_wait,id and is_opened
end
if not stays and mode=='read' and redis.call('HLEN',lock)==1+#leaving then
local id,window_ms,readers_wait,is_opened=next_writer()
if id then
local channel,message=rw_grant(keys,now,id,window_ms,readers_wait)
redis.call('HDEL',lock,unpack(leaving))
redis.call('DEL',unpack(holds))
return notify(alive and -5 or -1,ARGV[5],channel,message)
end
redis.call('DEL',lock,readers,unpack(holds))
return notify(not alive and -2 or is_opened and -6 or 1,ARGV[5],ARGV[6],'0')
end
if stays then
needs_no_memory(lock)
redis.call('HSET',lock,holder,count)
table.remove(holds,1)
else
redis.call('ZREM',readers,unpack(ids))
redis.call('HDEL',lock,unpack(leaving))
end
local removed=#holds>0 and redis.pcall('DEL',unpack(holds))
if type(removed)=='table' then
redis.call('HSET',lock,unpack(had))
return removed
end
if stays then
return 0
end
if mode~='read' then
return alive and 0 or -2
end
local left_ms=rw_readers(lock,readers,now,ARGV[7])
if not left_ms then
local id,window_ms,readers_wait,is_opened=next_writer()
if id then
return notify(alive and -5 or -1,ARGV[5],rw_grant(keys,now,id,window_ms,readers_wait))
end
return notify(not alive and -2 or is_opened and -6 or 1,ARGV[5],ARGV[6],'0')
end
local writer=nil
if redis.call('EXISTS',keys.writers)==1 then
writer=left_ms<4000/3 and rw_first_writer(keys,now,false)
writer=writer or rw_untold_writer(keys,now)
end
if writer then
local channel=own_channel(writer,lock,ARGV[5])
return notify(alive and 0 or -2,ARGV[5],channel,'r' .. writer .. ' ' .. lock)
end
return alive and 0 or -2
end
return checked(KEYS,'hszzzzhs',run)`,
  operands: (keys, args) => [7 + keys.holds.length, keys.lock, keys.tombstone, keys.readers, keys.writers, keys.waiting, keys.heartbeats, keys.tickets, ...keys.holds, args.holder, args.count, args.tombstoneMs, args.listens, args.publish, args.channel, args.stem, ...args.others],
  decode: integer,
};

/** state how many of a writer's holds are still alive; at none the lock is free, or goes on in read mode for the readers that the writer has (downgrade). A writer that waits leaves the wait queue. */
export const rwlockReleaseWrite: Script<
  { lock: string; tombstone: string; readers: string; writers: string; waiting: string; heartbeats: string; tickets: string },
  { holder: string; count: number; tombstoneMs: number; listens: number; publish: string; channel: string; stem: string },
  number
> = {
  name: 'rwlock/release-write',
  sha1: '8e6d523bb76f51e895c40347d9980ca6242b042a',
  source: `-- rwlock/release-write
${libHashFound}${libChecked}${libNeedsNoMemory}${libNotify}${libNowMs}${libOwnChannel}${libListeners}${libOwnListeners}${libHeardAgain}${libHeardAt}${libRwLeaveLine}${libRwFirstWriter}${libRwGrant}${libForeign}${libIsHolder}${libLockLayout}${libRwMode}${libQueueFirst}${libRwNextWriter}${libRwOwner}${libEndsLeft}${libEndsAgain}${libRwLast}${libRwLeft}${libRwReaders}${libHeardTickets}${libTicketsChecked}${libLineTurn}${libRwTurn}${libRwUntoldWriter}local function run()
local keys={
lock=KEYS[1],
readers=KEYS[3],
writers=KEYS[4],
waiting=KEYS[5],
heartbeats=KEYS[6],
tickets=KEYS[7],
publish=ARGV[5],
}
local lock,holder,count,tombstone_ms=KEYS[1],ARGV[1],tonumber(ARGV[2]),tonumber(ARGV[3])
local field,client=holder .. ':write',string.sub(holder,1,36)
if tombstone_ms>0 then
needs_no_memory(lock)
redis.call('SET',KEYS[2],'1','PX',tombstone_ms)
end
local is_held=redis.call('HEXISTS',lock,field)==1
local stood=not is_held and rw_leave_line(keys,holder)
if not is_held and redis.call('EXISTS',lock)==1 then
local mode=rw_mode(lock)
if type(mode)=='table' then
return mode
elseif mode~='write' then
if stood then
return notify(-1,ARGV[5],ARGV[6],'1')
end
local untold=rw_untold_writer(keys,now_ms())
if not untold then
return -1
end
return notify(-1,ARGV[5],own_channel(untold,lock,ARGV[5]),'r' .. untold .. ' ' .. lock)
end
local head,owner=rw_first_writer(keys,now_ms(),true),rw_owner(lock)
if not head or owner and own_listeners(owner,lock,ARGV[5])>0 then
return -1
end
return notify(-1,ARGV[5],own_channel(head,lock,ARGV[5]),'r' .. head .. ' ' .. lock)
end
if is_held and count>0 then
needs_no_memory(lock)
redis.call('HSET',lock,field,count)
return 0
end
if is_held and redis.call('HLEN',lock)>2 then
needs_no_memory(lock)
redis.call('HSET',lock,'mode','read')
local removed=redis.pcall('HDEL',lock,field)
if type(removed)=='table' then
redis.call('HSET',lock,'mode','write')
return removed
end
if rw_readers(lock,keys.readers,now_ms(),ARGV[7]) then
return notify(1,ARGV[5],ARGV[6],'1')
end
end
local now,id,window_ms,readers_wait,is_reader_first,is_opened =
nil,nil,nil,nil,false,false
if redis.call('EXISTS',keys.writers)==1 then
now=now_ms()
id,window_ms,readers_wait,is_reader_first=rw_next_writer(keys,now)
end
if is_held and not is_reader_first then
is_opened=rw_turn(keys,id~=nil,client,ARGV[4],ARGV[5],ARGV[6],now)
end
if id and not is_opened then
local channel,message=rw_grant(keys,now,id,window_ms,readers_wait)
redis.call('HDEL',lock,field)
return notify(is_held and -5 or -1,ARGV[5],channel,message)
end
redis.call('DEL',lock)
if is_held then
return notify(id and -6 or 1,ARGV[5],ARGV[6],'1')
end
if stood then
return notify(-2,ARGV[5],ARGV[6],'1')
end
return -2
end
return checked(KEYS,'hszzzzh',run)`,
  operands: (keys, args) => [7, keys.lock, keys.tombstone, keys.readers, keys.writers, keys.waiting, keys.heartbeats, keys.tickets, args.holder, args.count, args.tombstoneMs, args.listens, args.publish, args.channel, args.stem],
  decode: integer,
};

/** renew many readers at once, each with its hold keys, and say of each whether it still reads. */
export const rwlockRenewRead: Script<
  { ofClaims: readonly string[] },
  { claims: readonly string[] },
  string
> = {
  name: 'rwlock/renew-read',
  sha1: 'bc464afe4d1258773cfb528b0aac4b0bbaedb8ad',
  source: `-- rwlock/renew-read
${libEndsLeft}${libEndsScore}${libHashFound}${libIsHolder}${libLockLayout}${libNeedsNoMemory}${libNowMs}${libRwKeepHolds}${libRwIsAlive}${libZaddFor}local answers,key,now={},1,now_ms()
for i=1,#ARGV,3 do
local lock,readers,reader=KEYS[key],KEYS[key+1],ARGV[i]
local count,lease_ms=tonumber(ARGV[i+1]),tonumber(ARGV[i+2])
local held=redis.pcall('HEXISTS',lock,reader)
if type(held)=='table' and not string.find(held.err,'WRONGTYPE',1,true) then
return held
end
if held==1 and rw_is_alive(readers,reader,KEYS[key+2],now) then
if lease_ms>0 then
needs_no_memory(lock)
rw_keep_holds(KEYS,key+2,key+1+count,lease_ms)
local left=redis.call('PTTL',lock)
if left<lease_ms then
redis.call('PEXPIRE',lock,lease_ms)
end
zadd_for(readers,math.max(left,lease_ms),'GT',ends_score(now,lease_ms),reader)
end
local score=lease_ms==0 and redis.call('ZSCORE',readers,reader)
local left=score and ends_left(tonumber(score),now)
answers[#answers+1]=left and '1::' .. string.format('%.0f',left) or '1'
else
local mode=type(held)~='table' and redis.call('HGET',lock,'mode')
local is_foreign=type(held)=='table'
or not (mode and redis.call('HLEN',lock)==1)
and select(2,lock_layout(lock,mode))~=nil
answers[#answers+1]=is_foreign and '3' or mode=='write' and '2' or '0'
end
key=key+2+count
end
return table.concat(answers,' ')`,
  operands: (keys, args) => [keys.ofClaims.length, ...keys.ofClaims, ...args.claims],
  decode: text,
};

/** take permits for the waiters of one client, in order, as many as fit. */
export const semaphoreAcquire: Script<
  { semaphore: string; requests: string; queue: string; heartbeats: string; record: string },
  { number: number; lowWater: number; publish: string; channel: string; client: string; mustQueue: number; needs: readonly number[] },
  string
> = {
  name: 'semaphore/acquire',
  sha1: '4adbb8051863bb134ef85a96fec01f77e829baa6',
  source: `-- semaphore/acquire
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libNeedsMemory}${libRequestRecord}${libForeign}${libStoredCount}${libSemaphoreChange}${libSemaphoreIdle}${libSemaphoreForget}${libSemaphoreKeep}${libSemaphorePutIn}${libPermitsRevive}${libSemaphoreRecord}${libSemaphoreSettle}${libSemaphoreUsed}${libNotify}${libNotifyAvailable}${libNowMs}${libQueueHeartbeat}${libHeardAgain}${libHeardAt}${libQueueFirst}${libRankNew}${libServeWaiters}local function run()
local requests,number=KEYS[2],ARGV[1] do local answer=request_recall(requests,number) if answer then return answer end end
local semaphore,client,needs=KEYS[1],ARGV[5],{ unpack(ARGV,7) }
local stored,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local record,is_deleted=semaphore_record(KEYS[5])
local available,above=stored or 0,0
if stored and record then
available,above=semaphore_settle(record,available)
end
needs_memory(requests)
permits_revive(KEYS[5],stored,is_deleted)
local served,taken,retry_ms,has_left =
serve_waiters(KEYS[3],KEYS[4],client,ARGV[6]=='1',available,needs)
available=available - taken
if served>0 then
request_keep_record(requests,ARGV[2])
end
if stored then
semaphore_idle(record,available)
end
local mark,total=nil,-1
if stored and record then
total=record.total
end
if stored and record and (taken>0 or record.has_changed) then
mark=semaphore_put_in(record,client,number,needs,served)
semaphore_keep(KEYS[5],record)
elseif stored then
mark=string.format('0:%.0f',available+taken)
else
mark=is_deleted and '--' or '-'
end
local change=available - (stored or 0)
local refused=change~=0 and semaphore_change(semaphore,change,KEYS[5],record)
if refused then
return refused
end
if stored and change==0 then
semaphore_used(semaphore,KEYS[5],record)
end
local answer =
string.format('%.0f %.0f %.0f %.0f %.0f %s',served,taken,retry_ms,above,total,mark)
if served>0 then
request_record(requests,number,answer)
end
if has_left then
return notify_available(answer,available,ARGV[3],ARGV[4])
end
return answer
end
return checked(KEYS,'szzzh',run)`,
  operands: (keys, args) => [5, keys.semaphore, keys.requests, keys.queue, keys.heartbeats, keys.record, args.number, args.lowWater, args.publish, args.channel, args.client, args.mustQueue, ...args.needs],
  decode: text,
};

/** change the number of permits, at most once per request. */
export const semaphoreAddPermits: Script<
  { semaphore: string; requests: string; record: string },
  { number: number; lowWater: number; publish: string; channel: string; delta: number; declared: string },
  string
> = {
  name: 'semaphore/add-permits',
  sha1: 'ed31a287bea68f0f869a3bc5eaf56c7286e62969',
  source: `-- semaphore/add-permits
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNeedsMemory}${libForeign}${libStoredCount}${libSemaphoreChange}${libSemaphoreIdle}${libSemaphoreForget}${libSemaphoreKeep}${libNextMark}${libSemaphoreNewRecord}${libPermitsRevive}${libSemaphoreRecord}${libNotify}${libNotifyAvailable}${libNotifyMade}local function run()
local requests,number=KEYS[2],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[7]) if answer then return answer end end
local semaphore,delta=KEYS[1],tonumber(ARGV[5])
local stored,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local record,is_deleted=semaphore_record(KEYS[3])
if not stored and not is_deleted and ARGV[6]~='' then
needs_memory(requests)
request_keep_record(requests,ARGV[2])
return request_record(requests,number,'none')
end
local available,idle_ms=stored or 0,tonumber(ARGV[6]) or 0
needs_memory(requests)
request_keep_record(requests,ARGV[2])
permits_revive(KEYS[3],stored,is_deleted)
local sum=available+delta
if sum>2147483647 or sum<-2147483648 then
return request_record(requests,number,string.format('full %.0f',available))
end
if not stored then
record=semaphore_new_record(record,0,sum,false,idle_ms>0 and idle_ms or nil)
elseif record then
record.total,record.has_changed=record.total+delta,true
end
semaphore_idle(record,sum)
if record then
semaphore_keep(KEYS[3],record)
end
local refused=semaphore_change(semaphore,delta,KEYS[3],record)
if refused then
return refused
end
local answer=request_record(requests,number,string.format('%.0f',sum))
if not stored then
return notify_made(answer,sum,ARGV[3],ARGV[4])
elseif delta>0 then
return notify_available(answer,sum,ARGV[3],ARGV[4])
end
return answer
end
return checked(KEYS,'szh',run)`,
  operands: (keys, args) => [3, keys.semaphore, keys.requests, keys.record, args.number, args.lowWater, args.publish, args.channel, args.delta, args.declared, 0],
  decode: text,
  untilAt: 6,
};

/** make a semaphore with the number of permits that an object declares, and say how many are left and how many it has; at most once per request. */
export const semaphoreConfigure: Script<
  { semaphore: string; requests: string; record: string },
  { number: number; lowWater: number; publish: string; channel: string; setting: string },
  string
> = {
  name: 'semaphore/configure',
  sha1: 'd973efc441bf3d71b56c27633048d85b030b5c99',
  source: `-- semaphore/configure
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNeedsMemory}${libForeign}${libStoredCount}${libSemaphoreChange}${libSemaphoreIdle}${libSemaphoreForget}${libSemaphoreKeep}${libNextMark}${libSemaphoreNewRecord}${libPermitsRevive}${libSemaphoreRecord}${libPermitsSetting}${libSettingIdle}${libSemaphoreSetting}${libSemaphoreUsed}${libNotify}${libNotifyMade}local function run()
local requests,number=KEYS[2],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[6]) if answer then return answer end end
local semaphore=KEYS[1]
local stored,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local record,is_deleted=semaphore_record(KEYS[3])
local made,total=semaphore_setting(ARGV[5],stored,record,is_deleted)
local available=stored or made
if not available then
return '0 0 0 1'
end
needs_memory(requests)
request_keep_record(requests,ARGV[2])
permits_revive(KEYS[3],stored,is_deleted)
if made then
record=semaphore_new_record(record,0,made,true,setting_idle(ARGV[5]))
end
semaphore_idle(record,available)
if record and (made or stored and record.has_changed) then
semaphore_keep(KEYS[3],record)
end
local refused=made and semaphore_change(semaphore,made,KEYS[3],record)
if refused then
return refused
end
if stored then
semaphore_used(semaphore,KEYS[3],record)
end
local view=string.format('%.0f 1 %.0f %.0f',available,total,record and 1 or 0)
local answer=request_record(requests,number,view)
if made then
return notify_made(answer,made,ARGV[3],ARGV[4])
end
return answer
end
return checked(KEYS,'szh',run)`,
  operands: (keys, args) => [3, keys.semaphore, keys.requests, keys.record, args.number, args.lowWater, args.publish, args.channel, args.setting, 0],
  decode: text,
  untilAt: 5,
};

/** remove a semaphore, at most once per request. */
export const semaphoreDelete: Script<
  { semaphore: string; requests: string; record: string },
  { number: number; lowWater: number },
  string
> = {
  name: 'semaphore/delete',
  sha1: '716fca2f1b31e9e817114623617b1754a5d0b658',
  source: `-- semaphore/delete
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libForeign}${libStoredCount}${libSemaphoreRecord}local function run()
local requests,number=KEYS[2],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[3]) if answer then return answer end end
local semaphore=KEYS[1]
local stored,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local _,is_deleted=semaphore_record(KEYS[3])
request_keep_record(requests,ARGV[2])
if stored then
redis.call('HSET',KEYS[3],'deleted',1)
end
local done=(stored or not is_deleted) and redis.pcall('DEL',semaphore,KEYS[3])
if type(done)=='table' then
redis.call('HDEL',KEYS[3],'deleted')
return done
end
if stored then
redis.call('HSET',KEYS[3],'deleted',1)
redis.call('PEXPIRE',KEYS[3],86400000)
end
return request_record(requests,number,stored and '1' or '0')
end
return checked(KEYS,'szh',run)`,
  operands: (keys, args) => [3, keys.semaphore, keys.requests, keys.record, args.number, args.lowWater, 0],
  decode: text,
  untilAt: 2,
};

/** take all permits that are left, at most once per request. */
export const semaphoreDrainPermits: Script<
  { semaphore: string; requests: string; record: string },
  { number: number; lowWater: number; declared: string },
  string
> = {
  name: 'semaphore/drain-permits',
  sha1: 'f2449e144284bf55f8224065a53ccfd538444b35',
  source: `-- semaphore/drain-permits
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libForeign}${libStoredCount}${libSemaphoreChange}${libSemaphoreIdle}${libSemaphoreForget}${libSemaphoreKeep}${libPermitsRevive}${libSemaphoreRecord}${libSemaphoreUsed}local function run()
local requests,number=KEYS[2],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[4]) if answer then return answer end end
local semaphore=KEYS[1]
local stored,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local record,is_deleted=semaphore_record(KEYS[3])
if not stored and not is_deleted and ARGV[3]~='' then
request_keep_record(requests,ARGV[2])
return request_record(requests,number,'none')
end
local taken=math.max(stored or 0,0)
request_keep_record(requests,ARGV[2])
permits_revive(KEYS[3],stored,is_deleted)
if stored then
semaphore_idle(record,stored - taken)
end
if record and record.idle_ms and taken>0 then
semaphore_keep(KEYS[3],record)
end
local refused=taken>0 and semaphore_change(semaphore,-taken,KEYS[3],record)
if refused then
return refused
end
if stored and taken==0 then
semaphore_used(semaphore,KEYS[3],record)
end
return request_record(requests,number,string.format('%.0f',taken))
end
return checked(KEYS,'szh',run)`,
  operands: (keys, args) => [3, keys.semaphore, keys.requests, keys.record, args.number, args.lowWater, args.declared, 0],
  decode: text,
  untilAt: 3,
};

/** undo what a request took, and make sure that it never runs (again). */
export const semaphoreGiveBack: Script<
  { semaphore: string; requests: string; queue: string; heartbeats: string; record: string },
  { number: number; lowWater: number; publish: string; channel: string; client: string; leaves: number; mayRun: number; permits: number; mark: string; place: number; needs: readonly number[] },
  number
> = {
  name: 'semaphore/give-back',
  sha1: '29b8eccc181ba525de55cb2c1d9b6958c87dec22',
  source: `-- semaphore/give-back
${libHashFound}${libChecked}${libGrantIsUnknown}${libZaddFor}${libRequestKeepRecord}${libRequestRecall}${libRequestRecord}${libSemaphoreChange}${libSemaphoreIdle}${libSemaphoreForget}${libSemaphoreKeep}${libForeign}${libSemaphoreRecord}${libSemaphoreTakeOut}${libNotify}${libNotifyAvailable}local function run()
local semaphore,requests,number,client=KEYS[1],KEYS[2],ARGV[1],ARGV[5]
local answer=request_recall(requests,number)
local permits,mark,place,counts=tonumber(ARGV[8]),ARGV[9],ARGV[10],{ ARGV[8] }
if answer then
local served,taken,found=string.match(answer,'^(%d+) (%d+) .* ([%d:]+)')
permits,mark,place,counts=tonumber(taken or 0),found or '',1,{}
for i=1,tonumber(served or 0) do
counts[i]=ARGV[10+i] or 0
end
end
local id=string.match(mark,'^(%d+):')
local record,is_deleted=semaphore_record(KEYS[5])
local value=redis.pcall('GET',semaphore)
if type(value)=='table' and not string.find(value.err,'WRONGTYPE',1,true) then
return value
end
local available=type(value)=='string' and string.find(value,'^%-?%d+$') and tonumber(value)
local is_recorded=answer or ARGV[7]=='1'
if is_recorded then
request_keep_record(requests,ARGV[2])
end
local has_left=false
if ARGV[6]=='1' then
has_left=redis.call('ZREM',KEYS[3],client)==1
redis.call('ZREM',KEYS[4],client)
end
redis.call('ZREMRANGEBYSCORE',requests,1,0)
local is_there=available and (not record or id==record.id)
local is_unproven=answer=='unproven'
or not answer
and is_there
and mark~=''
and grant_is_unknown(KEYS[5],record,is_deleted,client,mark,place)
if not is_there then
permits=0
elseif record and mark~='' then
permits=semaphore_take_out(KEYS[5],record,client,mark,place,counts)
end
is_unproven=is_unproven and permits==0
local given=permits>0 and math.max(math.min(permits,2147483647 - available),0) or 0
if given>0 and record then
redis.call('HDEL',KEYS[5],'')
semaphore_idle(record,available+given)
semaphore_keep(KEYS[5],record)
end
local refused=given>0 and semaphore_change(semaphore,given,KEYS[5],record)
if refused then
return refused
end
redis.call('ZREMRANGEBYSCORE',requests,number,number)
if is_recorded then
request_record(requests,number,is_unproven and 'unproven' or 'cancelled')
end
if given>0 or has_left then
return notify_available(given,(available or 0)+given,ARGV[3],ARGV[4])
end
return is_unproven and -1 or given
end
return checked(KEYS,'szzzh',run)`,
  operands: (keys, args) => [5, keys.semaphore, keys.requests, keys.queue, keys.heartbeats, keys.record, args.number, args.lowWater, args.publish, args.channel, args.client, args.leaves, args.mayRun, args.permits, args.mark, args.place, ...args.needs],
  decode: integer,
};

/** how many permits a semaphore has left, and whether any were set. */
export const semaphoreInspect: Script<
  { semaphore: string },
  Record<string, never>,
  string
> = {
  name: 'semaphore/inspect',
  sha1: '75ca41352ddf78d1baada2f25430e5eb2d3f0619',
  source: `-- semaphore/inspect
${libHashFound}${libChecked}${libForeign}${libStoredCount}local function run()
local stored,wrong=stored_count(KEYS[1])
if wrong then
return wrong
end
return string.format('%.0f %.0f',stored or 0,stored and 1 or 0)
end
return checked(KEYS,'s',run)`,
  operands: (keys) => [1, keys.semaphore],
  decode: text,
};

/** return permits, at most once per request, and serve waiters with them. */
export const semaphoreRelease: Script<
  { semaphore: string; requests: string; queue: string; heartbeats: string; record: string },
  { number: number; lowWater: number; publish: string; channel: string; client: string; mustQueue: number; permits: number; mark: string; place: number; declared: string; needs: readonly number[] },
  string
> = {
  name: 'semaphore/release',
  sha1: '89416e1f73eae62987060db95812db3181461103',
  source: `-- semaphore/release
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libGrantIsUnknown}${libForeign}${libStoredCount}${libSemaphoreChange}${libSemaphoreIdle}${libSemaphoreForget}${libSemaphoreKeep}${libNextMark}${libSemaphoreNewRecord}${libSemaphorePutIn}${libPermitsRevive}${libSemaphoreRecord}${libSemaphoreSettle}${libSemaphoreTakeOut}${libNotify}${libNotifyAvailable}${libNotifyMade}${libNowMs}${libQueueHeartbeat}${libHeardAgain}${libHeardAt}${libQueueFirst}${libRankNew}${libServeWaiters}local function run()
local requests,number=KEYS[2],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[11]) if answer then return answer end end
local semaphore,client,declared,needs=KEYS[1],ARGV[5],ARGV[10],{ unpack(ARGV,12) }
local permits,is_proven=tonumber(ARGV[7]),ARGV[8]~=''
local stored,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local record,is_deleted=semaphore_record(KEYS[5])
if not stored and not is_deleted and declared~='' then
request_keep_record(requests,ARGV[2])
return request_record(requests,number,'none')
end
local id=string.match(ARGV[8],'^(%d+):')
local available,idle_ms=stored or 0,tonumber(declared) or 0
local belongs=not is_proven or stored and (not record or id==record.id)
request_keep_record(requests,ARGV[2])
permits_revive(KEYS[5],stored,is_deleted)
if not belongs then
permits=0
elseif is_proven and record then
permits=semaphore_take_out(KEYS[5],record,client,ARGV[8],ARGV[9],{ ARGV[7] })
end
if belongs and available+permits>2147483647 then
return request_record(requests,number,string.format('full %.0f',available))
end
available=available+permits
if belongs and not stored then
record=semaphore_new_record(record,0,permits,false,idle_ms>0 and idle_ms or nil)
end
local above=0
if record and (stored or belongs) then
available,above=semaphore_settle(record,available)
end
if
ARGV[7]=='0'
and permits==0
and belongs
and grant_is_unknown(KEYS[5],record,is_deleted,client,ARGV[8],ARGV[9])
then
above=-1
end
local served,taken,retry_ms=0,0,-1
if #needs>0 then
served,taken,retry_ms =
serve_waiters(KEYS[3],KEYS[4],client,ARGV[6]=='1',available,needs)
available=available - taken
end
local mark,total=nil,-1
if record and (stored or belongs) then
total=record.total
mark=semaphore_put_in(record,client,number,needs,served)
semaphore_idle(record,available)
if #record.removed>0 then
redis.call('HDEL',KEYS[5],'')
end
semaphore_keep(KEYS[5],record)
else
mark=(stored or belongs) and string.format('0:%.0f',available+taken)
or is_deleted and '--'
or '-'
end
local change=available - (stored or 0)
local refused=(belongs or change~=0) and semaphore_change(semaphore,change,KEYS[5],record)
if refused then
return refused
end
local answer=string.format(
'%.0f %.0f %.0f %.0f %.0f %.0f %s',
served,
taken,
retry_ms,
available,
above,
total,
mark
)
request_record(requests,number,answer)
if belongs and not stored then
return notify_made(answer,available,ARGV[3],ARGV[4])
end
return notify_available(answer,available,ARGV[3],ARGV[4])
end
return checked(KEYS,'szzzh',run)`,
  operands: (keys, args) => [5, keys.semaphore, keys.requests, keys.queue, keys.heartbeats, keys.record, args.number, args.lowWater, args.publish, args.channel, args.client, args.mustQueue, args.permits, args.mark, args.place, args.declared, 0, ...args.needs],
  decode: text,
  untilAt: 10,
};

/** give back the permits of one grant, and serve nobody with them. */
export const semaphoreReturn: Script<
  { semaphore: string; record: string },
  { publish: string; channel: string; client: string; permits: number; mark: string; place: number },
  string
> = {
  name: 'semaphore/return',
  sha1: '9302fb924d7d8c946140fc5769f90ee527f74111',
  source: `-- semaphore/return
${libHashFound}${libChecked}${libForeign}${libStoredCount}${libSemaphoreChange}${libSemaphoreIdle}${libSemaphoreForget}${libSemaphoreKeep}${libSemaphoreRecord}${libSemaphoreSettle}${libSemaphoreTakeOut}${libNotify}${libNotifyAvailable}local function run()
local semaphore,mark=KEYS[1],ARGV[5]
local stored,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local record=semaphore_record(KEYS[2])
local born=string.match(mark,'^%d+:(%d+):')
if not stored or not record or record.loose>0 then
return ''
end
if stored+ARGV[4]>2147483647 or tonumber(born)<=record.forgotten then
return ''
end
local permits=semaphore_take_out(KEYS[2],record,ARGV[3],mark,ARGV[6],{ ARGV[4] })
if permits==0 then
return string.format('%.0f 0',stored)
end
local available,above=semaphore_settle(record,stored+permits)
semaphore_idle(record,available)
redis.call('HDEL',KEYS[2],'')
semaphore_keep(KEYS[2],record)
local refused=semaphore_change(semaphore,available - stored,KEYS[2],record)
if refused then
return refused
end
local answer=string.format('%.0f %.0f',available,above)
return notify_available(answer,available,ARGV[1],ARGV[2])
end
return checked(KEYS,'sh',run)`,
  operands: (keys, args) => [2, keys.semaphore, keys.record, args.publish, args.channel, args.client, args.permits, args.mark, args.place],
  decode: text,
};

/** set the permits of a semaphore that has none yet, at most once per request. */
export const semaphoreTrySetPermits: Script<
  { semaphore: string; requests: string; record: string },
  { number: number; lowWater: number; publish: string; channel: string; permits: number; ttlMs: number },
  string
> = {
  name: 'semaphore/try-set-permits',
  sha1: '282926ca574379a3befb9cf863a0752055bf0bca',
  source: `-- semaphore/try-set-permits
${libHashFound}${libChecked}${libRequestRecall}${libZaddFor}${libRequestKeepRecord}${libRequestRecord}${libRequestLate}${libNeedsMemory}${libForeign}${libStoredCount}${libSetFor}${libSemaphoreForget}${libSemaphoreKeep}${libNextMark}${libSemaphoreNewRecord}${libSemaphoreIdle}${libSemaphoreUsed}${libPermitsRevive}${libSemaphoreRecord}${libNotify}${libNotifyMade}local function run()
local requests,number=KEYS[2],ARGV[1] do local answer=request_recall(requests,number) or request_late(requests,number,ARGV[2],ARGV[7]) if answer then return answer end end
local semaphore,permits,ttl_ms=KEYS[1],tonumber(ARGV[5]),tonumber(ARGV[6])
local stored,wrong=stored_count(semaphore)
if wrong then
return wrong
end
local old,is_deleted=semaphore_record(KEYS[3])
needs_memory(requests)
request_keep_record(requests,ARGV[2])
permits_revive(KEYS[3],stored,is_deleted)
if stored then
semaphore_idle(old,stored)
semaphore_used(semaphore,KEYS[3],old)
return request_record(requests,number,'0')
end
local idle_ms=ttl_ms<0 and -ttl_ms or nil
local record=semaphore_new_record(old,math.max(ttl_ms,0),permits,false,idle_ms)
semaphore_idle(record,permits)
semaphore_keep(KEYS[3],record)
set_for(semaphore,ARGV[5],record.end_ms or ttl_ms)
local answer=request_record(requests,number,'1')
return notify_made(answer,permits,ARGV[3],ARGV[4])
end
return checked(KEYS,'szh',run)`,
  operands: (keys, args) => [3, keys.semaphore, keys.requests, keys.record, args.number, args.lowWater, args.publish, args.channel, args.permits, args.ttlMs, 0],
  decode: text,
  untilAt: 6,
};
